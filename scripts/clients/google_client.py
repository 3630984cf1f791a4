"""google-genai against the emulator of Gemini: text, inputs in URL-safe base64, and a refusal."""

import sys

from google import genai
from google.genai import errors, types

url, key = sys.argv[1:3]
client = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=url))
config = types.GenerateContentConfig(
    response_modalities=["IMAGE"], image_config=types.ImageConfig(aspect_ratio="16:9", image_size="2K")
)


def image_of(answer):
    parts = answer.candidates[0].content.parts
    return next(part.inline_data.data for part in parts if part.inline_data)


image = image_of(
    client.models.generate_content(model="gemini-3-pro-image", contents=["a red fox"], config=config)
)
assert image.startswith(b"\x89PNG"), image[:8]

# These bytes need both characters in which the two base64 alphabets differ.
awkward = image + b"\xfb\xef\xbe\xff\xff\xff"
again = client.models.generate_content(
    model="gemini-3-pro-image",
    contents=["make it night", types.Part.from_bytes(data=awkward, mime_type="image/png")],
    config=config,
)
assert image_of(again).startswith(b"\x89PNG")

try:
    wrong = genai.Client(api_key="wrong", http_options=types.HttpOptions(base_url=url))
    wrong.models.generate_content(model="gemini-3-pro-image", contents=["a red fox"], config=config)
    raise AssertionError("a wrong key was taken")
except errors.ClientError as error:
    assert error.code == 400 and "API key" in str(error), error
