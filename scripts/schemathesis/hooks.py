"""What our OpenAPI document cannot say: which of the values that fit a schema mean something to this server.

Values that do not fit their schema are left alone, so that requests that are meant to be refused still are.
"""

import datetime
import json
import os
import re
import uuid

import schemathesis
from schemathesis.core.parameters import ParameterLocation

RECEIVER = os.environ["DARKROOM_RECEIVER_URL"]
IMAGE = os.environ["DARKROOM_IMAGE_URL"]
# The models as the administration exports them.
MODELS = os.environ["DARKROOM_MODELS"]
UUID = r"\A[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"

ID = "019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b60"


def fits(value, pattern, longest):
    return isinstance(value, str) and len(value) <= longest and bool(re.search(pattern, value))


def is_day(value):
    try:
        return isinstance(value, str) and bool(datetime.date.fromisoformat(value))
    except ValueError:
        return False


@schemathesis.hook
def before_call(context, case, kwargs):
    """Changed at the last moment, because not every phase calls the earlier hooks."""
    case.body = with_known_models(with_addresses(case.body))
    if case.query:
        case.query = with_known_model(with_days(dict(case.query)))
    if is_meant_to_be_right(case, ParameterLocation.BODY):
        case.body = with_meaning(case.body)
        with_names(case)
    if is_meant_to_be_right(case, ParameterLocation.QUERY):
        case.query = with_known_ids(dict(case.query or {}))
    if is_meant_to_be_right(case, ParameterLocation.PATH):
        case.path_parameters = with_known_places(case)
    for name in list(case.headers or {}):
        # An idempotency key belongs to one request: with another body, it is refused.
        if name.lower() == "idempotency-key" and fits(case.headers[name], r"\A[!-~]{1,255}\Z", 255):
            case.headers[name] = str(uuid.uuid4())


def is_meant_to_be_right(case, location):
    return case.meta is None or not case.meta.is_negative_at(location)


def with_addresses(body):
    """Replaces addresses by reachable ones, because others are rightly refused."""
    if not isinstance(body, dict):
        return body
    body = dict(body)
    for name in ("callback_url", "url"):
        if fits(body.get(name), "^[Hh][Tt][Tt][Pp][Ss]?://", 2048):
            body[name] = RECEIVER
    urls = body.get("input_images_urls")
    if isinstance(urls, list):
        body["input_images_urls"] = [IMAGE if fits(url, "^https?://", 8192) else url for url in urls]
    return body


def with_days(query):
    """Removes cursors, because a list accepts only its own, and sets days that are not too far apart."""
    for name, longest in (("cursor", 300), ("after", 100)):
        if fits(query.get(name), r"\A[A-Za-z0-9_-]+\Z", longest):
            del query[name]
    today = datetime.date.today()
    for name, day in (("from", today - datetime.timedelta(days=30)), ("to", today)):
        if is_day(query.get(name)):
            query[name] = day.isoformat()
    return query


# Valid values for body fields whose schema limits only their length.
MEANINGS = {
    **dict.fromkeys(("amount", "credit", "balance_low"), "5.00"),
    **dict.fromkeys(("spend_hour", "spend_day", "spend_month", "spend_total"), "5.00"),
    "from": "2026-11-01T00:00:00Z",
    "webhook": RECEIVER,
    "provider": "comfyui",
    "base_url": RECEIVER,
    "model": "nb2",
}


def with_meaning(body):
    """Sets valid amounts, times, networks, models and addresses anywhere in a body."""
    if isinstance(body, list):
        return [with_meaning(one) for one in body]
    if not isinstance(body, dict):
        return body
    body = {name: with_meaning(value) for name, value in body.items()}
    for name, value in MEANINGS.items():
        if fits(body.get(name), "", 20 if value == "5.00" else 2048):
            body[name] = value
    if fits(body.get("deadline"), "T", 40):
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        body["deadline"] = soon.isoformat()
        body.pop("deadline_seconds", None)
    # There is no bucket here, and only buckets take credentials. An account can have each address
    # only once.
    if fits(body.get("url"), "^(s3|https?)://", 2048):
        body["url"] = f"{RECEIVER}?{uuid.uuid4()}"
    if isinstance(body.get("credentials"), dict):
        del body["credentials"]
    # These name things that must exist, which a document cannot say.
    for name, kind in (("origin", dict), ("corrects", str)):
        if isinstance(body.get(name), kind):
            del body[name]
    if "amount" in body:
        body["reason"] = "as agreed"
    # A reference has one line, and is used once.
    if fits(body.get("reference"), "", 200):
        body["reference"] = str(uuid.uuid4())
    # The body of a create depends on its model.
    if {"body", "mode", "model"} <= body.keys() and isinstance(body["body"], dict):
        body.update(mode="text", body={"prompt": "a fox", "aspect_ratio": "1:1"})
    networks = body.get("networks")
    if isinstance(networks, list):
        body["networks"] = ["203.0.113.0/24" if fits(one, "", 100) else one for one in networks]
    models = body.get("models")
    if isinstance(models, list) and models and all(isinstance(one, dict) for one in models):
        body["models"] = json.loads(MODELS)
    return body


def with_known_ids(query):
    """Sets keys, jobs and times as a program would send them."""
    if fits(query.get("key_id"), "", 60) and not fits(query["key_id"], UUID, 36):
        query["key_id"] = "panel"
    if fits(query.get("batch_id"), ".", 60) and not fits(query["batch_id"], UUID, 36):
        query["batch_id"] = ID
    if fits(query.get("job_ids"), ".", 100_000):
        query["job_ids"] = ID
    if fits(query.get("tag"), ".", 100):
        query["tag"] = "spring"
    for name in ("from", "to"):
        if fits(query.get(name), ".", 40) and not is_day(query[name]):
            query[name] = "2026-11-01T00:00:00Z"
    return query


def with_known_places(case):
    """Sets the parameters in a path that are not ids: the path's schema cannot say which values exist."""
    known = {"tag": "spring", "scope": "project", "month": "2026-11", "route": "nb2/test"}
    if case.path == "/connections/{name}":
        # A new connection each time: changing an existing one's address requires its key.
        known["name"] = f"tests-{uuid.uuid4().hex[:8]}"
    places = dict(case.path_parameters or {})
    # An account that exists: another name may have been erased.
    if case.method == "GET" and not fits(places.get("account"), UUID, 36):
        known["account"] = "tests"
    return {name: known.get(name, value) if isinstance(value, str) else value for name, value in places.items()}


def with_names(case):
    """Gives a new account a unique name, and an erasure the name of its account."""
    if not isinstance(case.body, dict) or not fits(case.body.get("name"), ".", 100):
        return
    if case.path == "/accounts":
        case.body["name"] = str(uuid.uuid4())
    if case.path.endswith("/erase"):
        case.body["name"] = case.path_parameters.get("account")


def with_known_models(body):
    """Sets models in a client token's body, and the amount and origin, which the document describes only in words."""
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
    """Sets a model that exists: the document does not list models, because operators add their own."""
    if isinstance(query.get("model"), str) and len(query["model"]) <= 40:
        query["model"] = "nb2"
    return query
