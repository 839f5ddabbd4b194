"""Publishes a resource and a metric sample. Each line it prints is NATS's answer: the message is on disk.

    pip install nats-py==2.16.0
    NATS=nats://producer-...:...@127.0.0.1:4222 ORG=... python3 producer.py
"""

import asyncio
import json
import os
import uuid
from datetime import datetime, timezone

import nats

org, account = os.environ["ORG"], os.environ.get("ACCOUNT", "acct-1")
time = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def main():
    # This client takes the user and the password in the address.
    client = await nats.connect(os.environ["NATS"])
    stream = client.jetstream()

    async def publish(kind, type, data):
        envelope = {
            "id": str(uuid.uuid4()),
            "type": type,
            "schemaVersion": 1,
            "orgId": org,
            "time": time,
            "source": "example",
            "data": data,
        }
        # Raises if NATS does not acknowledge. Publish the same envelope again then: a repeat has no effect.
        ack = await stream.publish(f"ingest.{kind}.{org}.{account}", json.dumps(envelope).encode())
        print(type, ack.stream, ack.seq)

    resource = {
        "resourceUid": "i-python",
        "name": "from-python",
        "type": "aws-ec2",
        "provider": "aws",
        "cloudAccountId": account,
        "region": "us-east-1",
        "status": "running",
        "instanceType": "m5.large",
        "tags": {"env": "prod"},
    }
    samples = [{"metric": "cpu_percent", "value": 12.5, "ts": time}]
    await publish("resource", "resource.discovered", resource)
    await publish("metric", "metric.sample", {"resourceUid": "i-python", "samples": samples})
    await client.drain()


asyncio.run(main())
