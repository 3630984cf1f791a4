"""replicate against the emulator of Replicate: a prediction from start to end, its output, a file, and a refusal."""

import io
import sys

import replicate
from replicate.exceptions import ReplicateError

url, key = sys.argv[1:3]
client = replicate.Client(api_token=key, base_url=url)

prediction = client.models.predictions.create(
    model="google/nano-banana-2", input={"prompt": "a red fox", "aspect_ratio": "16:9"}
)
prediction.wait()
assert prediction.status == "succeeded", prediction
assert str(prediction.output).startswith(url), prediction.output
model = client.models.get("google/nano-banana-2")
assert (model.owner, model.name) == ("google", "nano-banana-2"), model
file = client.files.create(io.BytesIO(b"not looked at"), filename="a.png", content_type="image/png")
assert file.urls["get"].startswith(url), file

try:
    replicate.Client(api_token="wrong", base_url=url).models.get("google/nano-banana-2")
    raise AssertionError("a wrong token was taken")
except ReplicateError as error:
    assert error.status == 401, error
