"""openai's AzureOpenAI against the emulator of Azure OpenAI: an image, an edit, the list of models, and refusals."""

import base64
import io
import sys

import openai

url, key = sys.argv[1:3]
version = "2025-04-01-preview"
client = openai.AzureOpenAI(azure_endpoint=url, api_key=key, api_version=version, max_retries=0)


def bytes_of(answer):
    return base64.b64decode(answer.data[0].b64_json)


image = bytes_of(client.images.generate(model="gpt-image-2", prompt="a red fox", size="1536x1024"))
assert image.startswith(b"\x89PNG"), image[:8]
file = io.BytesIO(image)
file.name = "a.png"
assert bytes_of(client.images.edit(model="gpt-image-2", prompt="night", image=file)).startswith(b"\x89PNG")
assert "gpt-image-1" in [model.id for model in client.models.list()]

try:
    client.images.generate(model="nobodys", prompt="a red fox")
    raise AssertionError("a deployment that is not there was taken")
except openai.NotFoundError as error:
    assert error.code == "DeploymentNotFound", error
try:
    openai.AzureOpenAI(azure_endpoint=url, api_key="wrong", api_version=version, max_retries=0).models.list()
    raise AssertionError("a wrong key was taken")
except openai.AuthenticationError as error:
    assert error.code == "401", error
