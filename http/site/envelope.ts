/** The JSON Schema of each ingest subject's whole envelope, for producers. */
import { t } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { envelope, envelopeOf } from './asyncapi.ts'
import { route, type Route } from '#http/edge/route.ts'
import { ingestSubjects } from '#streams/index.ts'

const draft = 'https://json-schema.org/draft/2020-12/schema'

/** The JSON Schema of a whole message of `subject`. */
const envelopeSchema = ({ name, summary, schema, examples }: Subject): Record<string, unknown> => ({
  $schema: draft,
  ...envelopeOf(name, summary, schema),
  examples: examples.map((data, nth) => envelope(name, data, nth)),
})

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
