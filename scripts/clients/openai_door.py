"""openai against our server: images from text, edits with files, formats, a stream, the models, and refusals."""

import base64
import io
import json
import sys
import time

import openai

url, key = sys.argv[1:3]
client = openai.OpenAI(api_key=key, base_url=f"{url}/v1", max_retries=0)


def bytes_of(image):
    return base64.b64decode(image.b64_json)


answer = client.images.generate(model="gpt-image-2", prompt="a red fox", size="1536x1024", n=2)
assert answer.size == "1264x848" and len(answer.data) == 2, answer.size
image = bytes_of(answer.data[0])
assert image.startswith(b"\x89PNG"), image[:8]
assert client.images.generate(model="dall-e-3", prompt="a red fox").data[0].url.startswith(f"{url}/images/")
webp = client.images.generate(prompt="a red fox", output_format="webp", output_compression=50, user="customer-7")
assert bytes_of(webp.data[0])[8:12] == b"WEBP"


def upload(name):
    file = io.BytesIO(image)
    file.name = name
    return file


for images in (upload("a.png"), [upload("a.png"), upload("b.png")]):
    assert bytes_of(client.images.edit(model="nb2", prompt="night", image=images).data[0]).startswith(b"\x89PNG")
events = list(client.images.generate(prompt="a red fox", stream=True, partial_images=0))
assert [event.type for event in events] == ["image_generation.completed"], events
assert [model.id for model in client.models.list()] == ["nb", "nb2", "pro"]

# Like the sample in OpenAI's guide to its Batch API.
request = {"custom_id": "request-1", "method": "POST", "url": "/v1/images/generations"}
lines = io.BytesIO(json.dumps({**request, "body": {"model": "gpt-image-2", "prompt": "a red fox"}}).encode())
lines.name = "batchinput.jsonl"
batch_input_file = client.files.create(file=lines, purpose="batch")
batch = client.batches.create(
    input_file_id=batch_input_file.id,
    endpoint="/v1/images/generations",
    completion_window="24h",
    metadata={"description": "nightly eval job"},
)
while batch.status in ("validating", "in_progress", "finalizing"):
    time.sleep(0.2)
    batch = client.batches.retrieve(batch.id)
assert (batch.status, batch.request_counts.completed) == ("completed", 1), batch
made = json.loads(client.files.content(batch.output_file_id).text)
assert made["custom_id"] == "request-1" and made["response"]["status_code"] == 200, made
assert base64.b64decode(made["response"]["body"]["data"][0]["b64_json"]).startswith(b"\x89PNG")
assert [one.id for one in client.batches.list(limit=10)] == [batch.id]

try:
    client.images.edit(model="nb2", prompt="night", image=upload("a.png"), mask=upload("m.png"))
    raise AssertionError("a mask was taken")
except openai.BadRequestError as error:
    assert error.param == "mask", error
try:
    openai.OpenAI(api_key="wrong", base_url=f"{url}/v1", max_retries=0).models.list()
    raise AssertionError("a wrong key was taken")
except openai.AuthenticationError as error:
    assert error.code == "invalid_api_key", error
