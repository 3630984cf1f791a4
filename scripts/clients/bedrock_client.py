"""boto3 against the emulator of Amazon Bedrock, which checks every signature: images of two models, the list, refusals."""

import base64
import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

url, key = sys.argv[1:3]
access, secret = key.split(":")


def client_of(service, secret_key=secret):
    return boto3.client(
        service,
        endpoint_url=url,
        region_name="us-west-2",
        aws_access_key_id=access,
        aws_secret_access_key=secret_key,
        config=Config(retries={"total_max_attempts": 1}),
    )


runtime = client_of("bedrock-runtime")


def invoke(model, body):
    answer = runtime.invoke_model(modelId=model, body=json.dumps(body))
    return base64.b64decode(json.loads(answer["body"].read())["images"][0])


ultra = invoke("stability.stable-image-ultra-v1:1", {"prompt": "a red fox", "aspect_ratio": "16:9"})
assert ultra.startswith(b"\x89PNG"), ultra[:8]
config = {"width": 1024, "height": 1024, "numberOfImages": 1}
nova = {"taskType": "TEXT_IMAGE", "textToImageParams": {"text": "a red fox"}, "imageGenerationConfig": config}
assert invoke("amazon.nova-canvas-v1:0", nova).startswith(b"\x89PNG")
listed = client_of("bedrock").list_foundation_models(byOutputModality="IMAGE")["modelSummaries"]
assert "stability.sd3-5-large-v1:0" in [model["modelId"] for model in listed], listed

for call, code in [
    (lambda: invoke("nobodys", {}), "ValidationException"),
    (lambda: client_of("bedrock", "wrong").list_foundation_models(), "InvalidSignatureException"),
]:
    try:
        call()
        raise AssertionError(f"{code} was wanted")
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
