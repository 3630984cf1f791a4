"""LiteLLM's own SDK against our server: images from text, an edit, and refusals. Arguments: address, key."""

import base64
import io
import sys

import litellm

url, key = sys.argv[1:3]
ours = {"api_base": f"{url}/v1", "api_key": key}

answer = litellm.image_generation(model="openai/nb2", prompt="a red fox", n=2, **ours)
assert len(answer.data) == 2, answer
image = base64.b64decode(answer.data[0].b64_json)
assert image.startswith(b"\x89PNG"), image[:8]

file = io.BytesIO(image)
file.name = "fox.png"
edited = litellm.image_edit(model="openai/nb2", prompt="at night", image=file, **ours)
assert base64.b64decode(edited.data[0].b64_json).startswith(b"\x89PNG")

for model, prompt, kind, why in (
    ("openai/flux", "a red fox", litellm.NotFoundError, 'There is no model "flux".'),
    ("openai/nb2", "", litellm.BadRequestError, "The prompt must not be empty."),
):
    try:
        litellm.image_generation(model=model, prompt=prompt, **ours)
        raise AssertionError(f"{model} made an image")
    except kind as error:
        assert why in str(error), error
