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
# As the administration exports them.
MODELS = os.environ["DARKROOM_MODELS"]
UUID = r"\A[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"

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
    case.body = with_meaning(with_known_models(with_addresses(case.body)))
    if case.query:
        query = with_cursors_and_days(case.path, dict(case.query))
        case.query = with_known_ids(with_known_model(query))
    if case.path_parameters:
        case.path_parameters = with_known_places(case)
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


# Of bodies: what a text of this name may be, beyond its length.
MEANINGS = {
    **dict.fromkeys(("amount", "credit", "balance_low"), "5.00"),
    **dict.fromkeys(("spend_hour", "spend_day", "spend_month", "spend_total"), "5.00"),
    **dict.fromkeys(("since", "until"), "2026-11-01T00:00:00Z"),
    "webhook": RECEIVER,
    "provider": "comfyui",
    "base_url": RECEIVER,
    "model": "nb2",
}


def with_meaning(body):
    """Amounts, times, networks, models and addresses, wherever they stand in a body."""
    if isinstance(body, list):
        return [with_meaning(one) for one in body]
    if not isinstance(body, dict):
        return body
    body = {name: with_meaning(value) for name, value in body.items()}
    for name, value in MEANINGS.items():
        if fits(body.get(name), "", 20 if value == "5.00" else 500):
            body[name] = value
    if fits(body.get("deadline"), "T", 40):
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        body["deadline"] = soon.isoformat()
    # A bucket is none of ours, and only buckets take credentials.
    if fits(body.get("url"), "^s3://", 2048):
        body["url"] = RECEIVER
    if isinstance(body.get("credentials"), dict):
        del body["credentials"]
    networks = body.get("networks")
    if isinstance(networks, list):
        body["networks"] = ["203.0.113.0/24" if fits(one, "", 100) else one for one in networks]
    models = body.get("models")
    if isinstance(models, list) and models and all(isinstance(one, dict) for one in models):
        body["models"] = json.loads(MODELS)
    return body


def with_known_ids(query):
    """Keys, jobs and times as a program would ask for them."""
    if fits(query.get("key_id"), "", 60) and not fits(query["key_id"], UUID, 36):
        query["key_id"] = "panel"
    if fits(query.get("job_ids"), ".", 100_000):
        query["job_ids"] = ID
    for name in ("since", "until"):
        if fits(query.get(name), ".", 40):
            query[name] = "2026-11-01T00:00:00Z"
    return query


def with_known_places(case):
    """What stands in a path and is no id: a path has no schema that could say it."""
    known = {"tag": "spring", "scope": "project", "month": "2026-11", "route": "nb2/test"}
    if case.method == "GET":
        known["account"] = "tests"
    places = dict(case.path_parameters)
    return {name: known.get(name, value) if isinstance(value, str) else value for name, value in places.items()}


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
