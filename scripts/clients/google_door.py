"""google-genai against a whole Darkroom: text, inputs, a stream, a chat, the list of models, refusals."""

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


def size_of(image):
    assert image.startswith(b"\x89PNG"), image[:8]
    return int.from_bytes(image[16:20], "big"), int.from_bytes(image[20:24], "big")


answer = client.models.generate_content(model="gemini-3-pro-image", contents=["a red fox"], config=config)
image = image_of(answer)
assert size_of(image) == (2752, 1536), size_of(image)
assert answer.candidates[0].finish_reason == types.FinishReason.STOP
assert answer.sdk_http_response.headers["darkroom-job-id"] == answer.response_id

again = client.models.generate_content(
    model="gemini-2.5-flash-image",
    contents=["make it night", types.Part.from_bytes(data=image, mime_type="image/png")],
)
assert size_of(image_of(again)) == (1344, 768), "the ratio of the first image"

chunks = list(client.models.generate_content_stream(model="nb", contents="a red fox"))
assert len(chunks) == 1 and size_of(image_of(chunks[0])) == (1024, 1024)

chat = client.chats.create(model="gemini-3-pro-image")
chat.send_message("a red fox", config=config)
assert size_of(image_of(chat.send_message("at night"))) == (1376, 768), "the ratio of the latest image"

names = [model.name for model in client.models.list()]
assert "models/gemini-3-pro-image" in names and "models/pro" in names, names


def refused(client, **request):
    try:
        client.models.generate_content(**request)
    except errors.ClientError as error:
        return error
    raise AssertionError("it was not refused")


too_much = refused(
    client,
    model="pro",
    contents="a red fox",
    config=types.GenerateContentConfig(candidate_count=2, response_mime_type="application/json", seed=1),
)
fields = [violation["field"] for violation in too_much.details["error"]["details"][1]["fieldViolations"]]
assert too_much.code == 400 and fields == ["generationConfig.candidateCount", "generationConfig.responseMimeType"], too_much
wrong = genai.Client(api_key="wrong", http_options=types.HttpOptions(base_url=url))
assert refused(wrong, model="pro", contents="a red fox").code == 401
assert refused(client, model="gemini-9", contents="a red fox").code == 404
