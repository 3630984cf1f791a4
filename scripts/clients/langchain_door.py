"""LangChain's DallEAPIWrapper against our server. It accepts only links, so it uses model names for which OpenAI answers with links. Arguments: address, key."""

import sys
import urllib.request

import openai
from langchain_community.utilities.dalle_image_generator import DallEAPIWrapper

url, key = sys.argv[1:3]
for model in ("dall-e-2", "dall-e-3"):
    link = DallEAPIWrapper(api_key=key, base_url=f"{url}/v1", model=model, max_retries=0).run("a red fox")
    assert link.startswith(f"{url}/images/"), link
    assert urllib.request.urlopen(link).read(4) == b"\x89PNG"

try:
    DallEAPIWrapper(api_key=key, base_url=f"{url}/v1", model="dall-e-2", max_retries=0).run("")
    raise AssertionError("an empty prompt was taken")
except openai.BadRequestError as error:
    assert error.param == "prompt" and "must not be empty" in str(error), error
