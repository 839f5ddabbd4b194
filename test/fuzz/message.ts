/** Generated messages of the ingest stream: examples of every subject spoiled, random JSON, random bytes. */
import fc from 'fast-check'
import { subjectToken, type Subject } from '#engine/actor/subject.ts'
import { subjects } from '#streams/index.ts'
import { anyJson, anyText, damage, oddTexts, spoiled, tear, torn } from '#test/fuzz/hostile.ts'

export interface Sent {
  /** Below `ingest.`. */
  subject: string
  headers: Record<string, string>
  body: Buffer
}

/** Stands in the generated messages for the organization they go to. */
export const orgMark = 'org-of-the-run'

const envelopeOf = fc
  .record({
    subject: fc.constantFrom(...subjects),
    nth: fc.nat(9),
    id: fc.uuid(),
    time: fc.constantFrom('2026-01-15T10:00:00Z', '2026-01-15T10:00:01.5+01:00', '2026-01-16'),
    /** One of a few, so that actors and lanes meet again. */
    account: fc.constantFrom('acct-1', 'acct-2', 'shop/prod.eu', 'konto-\u20ac', ...oddTexts.slice(0, 6)),
    damages: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 5, arbitrary: fc.array(damage, { minLength: 1, maxLength: 3 }) },
    ),
    inData: fc.boolean(),
  })
  .map(({ subject, nth, id, time, account, damages, inData }) => {
    const example = subject.examples[nth % subject.examples.length] as object
    const data = 'cloudAccountId' in example ? { ...example, cloudAccountId: account } : example
    const head = { id, type: subject.name, schemaVersion: 1, orgId: orgMark, time, source: 'fuzz' }
    const value = inData ? { ...head, data: spoiled(data, damages) } : spoiled({ ...head, data }, damages)
    return { subject, account, value }
  })

const textOf = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(envelopeOf, fc.array(envelopeOf, { maxLength: 4 }), fc.boolean())
      .map(([first, others, many]) => ({
        ...at(first.subject, first.account),
        text:
          JSON.stringify(many ? [first, ...others.filter(alike(first))].map(({ value }) => value) : first.value) ?? '',
      })),
  },
  { weight: 2, arbitrary: anyJson.map((value) => ({ ...at(), text: JSON.stringify(value) })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(envelopeOf, fc.constantFrom(50, 100, 20_000), fc.constantFrom('["', '[', '{"a":', '{"data":['))
      .map(([{ subject, account, value }, levels, open]) => ({
        ...at(subject, account),
        text: (JSON.stringify(value) ?? '').replace(/"source":"fuzz"/, `"source":"fuzz","deep":${deep(levels, open)}`),
      })),
  },
)

const alike = (a: { subject: Subject }) => (b: { subject: Subject }) => a.subject.kind === b.subject.kind

const at = (subject: Subject = subjects[0]!, place = 'acct-1') => ({ kind: subject.kind, place })

/** Text of JSON nested that deep; not closed as it should be where `open` begins a text. */
export function deep(levels: number, open: string): string {
  const close = open.includes('{') ? (open.endsWith('[') ? ']}' : '}') : ']'
  return open.repeat(levels) + '1' + close.repeat(levels)
}

const token = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('=AA', '=AGEA', '=7f__', '=', '=!!', 'plain', '\u20ac', `=${'QUJD'.repeat(400)}`),
  },
  { weight: 1, arbitrary: anyText.map((text) => subjectToken(text).slice(0, 1000)) },
)

/** Half pairs that the cut leaves become replacement characters. */
const printable = anyText.map((text) =>
  text
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 300)
    .toWellFormed(),
)

const headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom('Nats-Msg-Id', 'Tidemark-Reply', 'Tidemark-Deadline', 'Tidemark-Reminder', 'X-Other'),
      fc.oneof(
        fc.constantFrom('', 'a b', '=AA.=AA.=AA.=AA', 'resource.acct-1.name.0', '....', '2020-01-01T00:00:00Z', '>'),
        printable,
      ),
      { maxKeys: 3 },
    ),
  },
)

/** Undefined, but one time in `n`. */
const seldom = <T>(n: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: n - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

/** A message as a client might send it, on a subject that is nearly always the right one. */
export const anyMessage: fc.Arbitrary<Sent> = fc
  .record({
    content: textOf,
    kind: seldom(12, fc.constantFrom('resource', 'metric', 'billing', 'control', 'actor', 'nothing')),
    org: seldom(12, token),
    place: seldom(8, token),
    headers,
    tears: fc.oneof(
      { weight: 8, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(tear, { minLength: 1, maxLength: 3 }) },
    ),
    noise: seldom(20, fc.uint8Array({ maxLength: 200 })),
  })
  .map(({ content, kind, org, place, headers: given, tears, noise }) => ({
    subject: [kind ?? content.kind, org ?? orgMark, place ?? subjectToken(content.place)].join('.'),
    headers: given,
    body: noise ? Buffer.from(noise) : torn(Buffer.from(content.text), tears),
  }))

/** `sent` for a real organization. */
export function addressed({ subject, headers: given, body }: Sent, orgId: string): Sent {
  const text = body.includes(orgMark) ? Buffer.from(body.toString('latin1').replaceAll(orgMark, orgId), 'latin1') : body
  return { subject: subject.replace(orgMark, orgId), headers: given, body: text }
}
