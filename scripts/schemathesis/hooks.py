"""What our OpenAPI document cannot say: which of the values that fit a schema mean something to this server.

Values that do not fit their schema are left alone, so that requests that are meant to be refused still are.
"""

import base64
import datetime
import json
import os
import re
import uuid

import schemathesis

RECEIVER = os.environ["DARKROOM_RECEIVER_URL"]
PICTURE = os.environ["DARKROOM_PICTURE_URL"]

ID = "019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b60"
CURSORS = {
    "/jobs": [ID],
    "/events": [1000],
    "/deliveries": [1000],
    "/entries": [1000, "5000000", "0"],
}


def fits(value, pattern, longest):
    return isinstance(value, str) and len(value) <= longest and bool(re.search(pattern, value))


def is_day(value):
    try:
        return isinstance(value, str) and bool(datetime.date.fromisoformat(value))
    except ValueError:
        return False


@schemathesis.hook
def before_call(context, case, kwargs):
    """In the last moment, because not every phase asks the hooks that come earlier."""
    case.body = with_known_models(with_addresses(case.body))
    if case.query:
        case.query = with_known_model(with_cursors_and_days(case.path, dict(case.query)))
    for name in list(case.headers or {}):
        # A key belongs to one request: the same one with another body is refused.
        if name.lower() == "idempotency-key" and fits(case.headers[name], r"\A[!-~]{1,255}\Z", 255):
            case.headers[name] = str(uuid.uuid4())


def with_addresses(body):
    """Addresses that can be reached, since others are refused for good reasons."""
    if not isinstance(body, dict):
        return body
    body = dict(body)
    for name in ("callback_url", "url"):
        if fits(body.get(name), "^[Hh][Tt][Tt][Pp][Ss]?://", 2048):
            body[name] = RECEIVER
    urls = body.get("input_images_urls")
    if isinstance(urls, list):
        body["input_images_urls"] = [PICTURE if fits(url, "^https?://", 8192) else url for url in urls]
    return body


def with_cursors_and_days(path, query):
    """Cursors that a list could have given, and days that are not too far apart."""
    parts = CURSORS.get(path)
    for name, longest in (("cursor", 300), ("after", 100)):
        if parts and fits(query.get(name), r"\A[A-Za-z0-9_-]+\Z", longest):
            text = json.dumps(parts, separators=(",", ":"))
            query[name] = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    today = datetime.date.today()
    for name, day in (("from", today - datetime.timedelta(days=30)), ("to", today)):
        if is_day(query.get(name)):
            query[name] = day.isoformat()
    return query


def with_known_models(body):
    """As below, in the body of a client token, whose amount and origin the document gives in words as well."""
    if not isinstance(body, dict):
        return body
    body = dict(body)
    if isinstance(body.get("models"), list):
        body["models"] = ["nb2" if fits(model, "", 40) else model for model in body["models"]]
    if fits(body.get("spend_cap"), "", 20):
        body["spend_cap"] = "0.50"
    if fits(body.get("origin"), "", 300):
        body["origin"] = "https://app.example.com"
    return body


def with_known_model(query):
    """A model that there is, or was: the document does not list them, since operators add their own."""
    if isinstance(query.get("model"), str) and len(query["model"]) <= 40:
        query["model"] = "nb2"
    return query
