"""fal-client against the emulator of fal's queue: submit, follow with queue positions, result, cancel."""

import os
import sys
from urllib.parse import urlparse

url, key = sys.argv[1:3]
os.environ["FAL_KEY"] = key
os.environ["FAL_QUEUE_RUN_HOST"] = urlparse(url).netloc
os.environ["FAL_RUN_HOST"] = urlparse(url).netloc

import fal_client  # noqa: E402
import fal_client.client as parts  # noqa: E402

# The client speaks only TLS; the emulator listens on loopback without TLS.
for name in ("QUEUE_URL_FORMAT", "RUN_URL_FORMAT", "REALTIME_URL_FORMAT"):
    if hasattr(parts, name):
        setattr(parts, name, getattr(parts, name).replace("https://", "http://"))

handle = fal_client.submit("fal-ai/nano-banana-2", arguments={"prompt": "a red fox"})
seen = [type(event).__name__ for event in handle.iter_events(interval=0.05)]
assert seen[0] == "Queued" and seen[-1] == "Completed", seen
image = handle.get()["images"][0]
assert image["url"].startswith(url), image
fal_client.cancel("fal-ai/nano-banana-2", handle.request_id)
