"""openai against the emulator of OpenAI Images: with and without a size, edits, the list of models, and a refusal."""

import base64
import io
import sys

import openai

url, key = sys.argv[1:3]
client = openai.OpenAI(api_key=key, base_url=f"{url}/v1", max_retries=0)


def bytes_of(answer):
    return base64.b64decode(answer.data[0].b64_json)


image = bytes_of(client.images.generate(model="gpt-image-2", prompt="a red fox"))
assert image.startswith(b"\x89PNG"), image[:8]
sized = client.images.generate(model="gpt-image-2", prompt="a red fox", size="1536x1024", quality="high")
assert bytes_of(sized).startswith(b"\x89PNG")


def upload(name):
    file = io.BytesIO(image)
    file.name = name
    return file


one = client.images.edit(model="gpt-image-2", prompt="night", image=upload("a.png"))
two = client.images.edit(model="gpt-image-2", prompt="night", image=[upload("a.png"), upload("b.png")])
assert bytes_of(one).startswith(b"\x89PNG") and bytes_of(two).startswith(b"\x89PNG")
assert "gpt-image-2" in [model.id for model in client.models.list()]

try:
    openai.OpenAI(api_key="wrong", base_url=f"{url}/v1", max_retries=0).models.list()
    raise AssertionError("a wrong key was taken")
except openai.AuthenticationError as error:
    assert error.code == "invalid_api_key", error
