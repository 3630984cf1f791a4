"""Runs next to the package `darkroom_api`, which openapi-python-client generated."""

import sys

from darkroom_api import AuthenticatedClient
from darkroom_api.api.create import create_nb_text_generation
from darkroom_api.api.jobs import get_job
from darkroom_api.models import FastAspectRatio, FastTextGeneration, Job, JobCreated, JobStatus

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)
request = FastTextGeneration(
    prompt="a lighthouse at dusk",
    aspect_ratio=FastAspectRatio.RATIO_16X9,
    deadline_seconds=120,
)
created = create_nb_text_generation.sync(client=client, body=request)
assert isinstance(created, JobCreated), created
while True:
    job = get_job.sync(created.job_id, client=client, prefer="wait=10")
    assert isinstance(job, Job), job
    assert job.status != JobStatus.FAILED, job.error
    if job.status == JobStatus.DONE:
        break
print(f"Python: {job.result.width} x {job.result.height}")
