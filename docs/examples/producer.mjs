// Publishes a resource and a metric sample. Each line it prints is NATS's answer: the message is on disk.
//
//   npm install @nats-io/transport-node@3.4.0 @nats-io/jetstream@3.4.0
//   NATS=nats://producer-...:...@127.0.0.1:4222 ORG=... node producer.mjs
import { randomUUID } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'

const { NATS, ORG, ACCOUNT = 'acct-1' } = process.env

// This client takes the user and the password as options, not in the address.
const { host, username, password } = new URL(NATS)
const nats = await connect({ servers: host, user: username, pass: password })
const js = jetstream(nats)

const time = new Date().toISOString()
async function publish(kind, type, data) {
  const envelope = { id: randomUUID(), type, schemaVersion: 1, orgId: ORG, time, source: 'example', data }
  // Throws if NATS does not acknowledge. Publish the same envelope again then: a repeat has no effect.
  const { stream, seq } = await js.publish(`ingest.${kind}.${ORG}.${ACCOUNT}`, JSON.stringify(envelope))
  console.log(type, stream, seq)
}

await publish('resource', 'resource.discovered', {
  resourceUid: 'i-node',
  name: 'from-node',
  type: 'aws-ec2',
  provider: 'aws',
  cloudAccountId: ACCOUNT,
  region: 'us-east-1',
  status: 'running',
  instanceType: 'm5.large',
  tags: { env: 'prod' },
})
await publish('metric', 'metric.sample', {
  resourceUid: 'i-node',
  samples: [{ metric: 'cpu_percent', value: 12.5, ts: time }],
})
await nats.drain()
