/** Prints the AsyncAPI 3.0 document from the messages: what is published to us on NATS, and what we publish there. */
import type { Subject } from '#engine/actor/subject.ts'
import { t, type TSchema } from '#engine/value/schema.ts'
import { execIntent, execResult } from '#streams/action/exec.ts'
import { ingestSubjects } from '#streams/index.ts'
import { eventCategories } from '#streams/notification/event-type.ts'
import { NotificationEvent } from '#streams/notification/messages.ts'
import { buildJob } from '#streams/source/messages.ts'

interface Message {
  name: string
  summary: string
  schema: TSchema
  examples: readonly unknown[]
}

interface Channel {
  /** Also the id of its operation. */
  name: string
  /** The NATS subject; `{name}` is a parameter. */
  address: string
  /** From our point of view. */
  action: 'receive' | 'send'
  summary: string
  messages: readonly Message[]
}

const kindTexts: Readonly<Record<string, string>> = {
  resource: 'Producers publish discovered, changed and deleted resources.',
  metric: 'Producers publish samples of metrics and the usage of Kubernetes clusters.',
  billing: 'Producers publish bill lines and exports.',
  control: 'Producers publish requests for what the product does otherwise on its own.',
}

const parameters: Readonly<Record<string, string>> = {
  orgID: 'The organization.',
  cloudAccountID:
    'The cloud account as one token: unchanged if it has only letters, digits, _ and -; otherwise = and its base64url form.',
  type: 'The type of the event.',
  deploymentID: 'The deployment of a source repository.',
}

/** The envelope's `data` for people and programs that are told of what happened. */
const eventOf: Message = {
  name: 'event',
  summary: 'Something of which people are notified has happened.',
  schema: NotificationEvent,
  examples: [],
}

const channels = (): Channel[] => [
  ...Map.groupBy(ingestSubjects as readonly Subject[], ({ kind }) => kind)
    .entries()
    .map(([kind, messages]): Channel => ({
      name: `ingest.${kind}`,
      address: `ingest.${kind}.{orgID}.{cloudAccountID}`,
      action: 'receive',
      summary: kindTexts[kind] ?? `Producers publish messages of kind ${kind}.`,
      messages,
    })),
  ...eventCategories.map((category): Channel => ({
    name: `event.${category}`,
    address: `event.${category}.{orgID}.{type}`,
    action: 'send',
    summary: `Events of category ${category}, at least once, under an id that stays the same.`,
    messages: [eventOf],
  })),
  {
    name: 'exec.intent',
    address: 'exec.intent.{orgID}.{cloudAccountID}',
    action: 'send',
    summary: 'Orders to executors; the same order can come twice, under the same intentId.',
    messages: [execIntent],
  },
  {
    name: 'exec.result',
    address: 'exec.result.{orgID}.{cloudAccountID}',
    action: 'receive',
    summary: 'Executors report results of orders.',
    messages: [execResult],
  },
  {
    name: 'build.job',
    address: 'build.job.{orgID}.{deploymentID}',
    action: 'send',
    summary: 'Orders to builders; the same order can come twice, under the id of its revision.',
    messages: [buildJob],
  },
]

const draft = 'application/schema+json;version=draft-07'

/** The AsyncAPI 3.0 document of all messages on NATS that programs outside may publish or receive. */
export function asyncapi({ title, version }: { title: string; version: string }) {
  const all = channels()
  const messages = new Map(all.flatMap((one) => one.messages).map((one) => [one.name, one]))
  return {
    asyncapi: '3.0.0',
    info: {
      title,
      version,
      description:
        'Messages on NATS JetStream, in the domain `tidemark`. Each message is an envelope of JSON; one NATS message may also be an array of up to 5,000 envelopes of the same subject. An invalid envelope goes to the dead letters with its reason.',
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(all.map((one) => [one.name, toChannel(one)])),
    operations: Object.fromEntries(all.map((one) => [one.name, toOperation(one)])),
    components: { messages: Object.fromEntries([...messages.values()].map((one) => [one.name, toMessage(one)])) },
  }
}

const toChannel = ({ address, summary, messages }: Channel) => ({
  address,
  summary,
  messages: Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
  parameters: Object.fromEntries(
    Array.from(address.matchAll(/\{(\w+)\}/g), ([, name]) => [name!, { description: parameters[name!]! }]),
  ),
})

const toOperation = ({ name, action, summary, messages }: Channel) => ({
  action,
  summary,
  channel: { $ref: `#/channels/${name}` },
  messages: messages.map((one) => ({ $ref: `#/channels/${name}/messages/${one.name}` })),
})

const toMessage = ({ name, summary, schema, examples }: Message) => ({
  name,
  summary,
  contentType: 'application/json',
  payload: { schemaFormat: draft, schema: envelopeOf(name, summary, schema) },
  ...(examples.length > 0 && { examples: examples.map((data, nth) => ({ payload: envelope(name, data, nth) })) }),
})

const text = (description: string, maxLength: number) => t.String({ minLength: 1, maxLength, description })

/** The schema of a whole message whose `data` has this schema. Events have their own types. */
export const envelopeOf = (name: string, summary: string, data: TSchema) => ({
  title: name,
  description: summary,
  ...t.Object({
    id: text('unique message ID; a repeated ID has no effect', 256),
    type: name === eventOf.name ? text('the type of the event', 128) : t.Literal(name),
    schemaVersion: t.Literal(1),
    orgId: text('the organization, as in the subject', 128),
    time: t.String({ format: 'date-time', description: 'when it happened, UTC' }),
    source: t.Optional(text('the producer', 256)),
    data,
  }),
})

/** An example of a whole message. */
export const envelope = (type: string, data: unknown, nth: number) => ({
  id: `${type}-${nth + 1}`,
  type,
  schemaVersion: 1,
  orgId: '9f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
  time: '2026-01-15T10:00:00.000Z',
  source: 'my-producer',
  data,
})
