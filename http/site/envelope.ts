/** The JSON Schema of each ingest subject's whole envelope, for producers. */
import { t } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { route, type Route } from '#http/edge/route.ts'
import { ingestSubjects } from '#streams/index.ts'

const example = (subject: Subject, data: unknown, nth: number) => ({
  id: `${subject.name}-${nth + 1}`,
  type: subject.name,
  schemaVersion: 1,
  orgId: '9f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
  time: '2026-01-15T10:00:00.000Z',
  source: 'my-producer',
  data,
})

const draft = 'https://json-schema.org/draft/2020-12/schema'

/** The JSON Schema of a whole message of `subject`. */
function envelopeSchema(subject: Subject): Record<string, unknown> {
  const text = (description: string, maxLength: number) => t.String({ minLength: 1, maxLength, description })
  return {
    $schema: draft,
    title: subject.name,
    description: subject.summary,
    ...t.Object({
      id: text('unique message ID; a repeated ID has no effect', 256),
      type: t.Literal(subject.name),
      schemaVersion: t.Literal(1),
      orgId: text('the organization, as in the subject', 128),
      time: t.String({ format: 'date-time', description: 'when it happened, UTC' }),
      source: t.Optional(text('the producer', 256)),
      data: subject.schema,
    }),
    examples: subject.examples.map((data, nth) => example(subject, data, nth)),
  }
}

const SchemaList = t.Object({
  schemas: t.Array(
    t.Object({
      type: t.String({ description: 'the type in the envelope' }),
      subject: t.String({ description: 'the NATS subject to publish on' }),
      summary: t.String(),
      url: t.String({ description: 'URL of its JSON Schema' }),
    }),
  ),
})

const tags = ['Producers']

export const envelopes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/schemas',
    summary: 'List the message types that producers can publish, with their subjects',
    description:
      'Each message type with its NATS subject and the URL of its JSON Schema. The same for every organization.',
    permission: 'public',
    tags,
    bare: true,
    reply: SchemaList,
    example: {
      schemas: [
        {
          type: 'billing.line',
          subject: 'ingest.billing.<orgID>.<cloudAccountID>',
          summary: 'A bill line',
          url: '/schemas/billing.line.json',
        },
      ],
    },
    handle: async () => ({
      schemas: ingestSubjects.map(({ name, kind, summary }) => ({
        type: name,
        subject: `ingest.${kind}.<orgID>.<cloudAccountID>`,
        summary,
        url: `/schemas/${name}.json`,
      })),
    }),
  }),
  ...ingestSubjects.map((subject) =>
    route({
      method: 'GET',
      path: `/schemas/${subject.name}.json`,
      summary: `Get the JSON Schema of ${subject.name}`,
      description: subject.summary,
      permission: 'public',
      tags,
      bare: true,
      reply: t.Record(t.String(), t.Unknown()),
      example: { $schema: draft, title: subject.name, description: subject.summary, type: 'object' },
      handle: async () => envelopeSchema(subject),
    }),
  ),
]
