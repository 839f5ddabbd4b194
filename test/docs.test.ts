import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { decoder } from '#engine/schema.ts'
import { ingestSubjects } from '#streams/index.ts'
import { root } from '#config/root.ts'

const text = readFileSync(path.join(root, 'docs/streams.md'), 'utf8')

/** The envelopes of the `nats pub` lines, with the shell's variables filled in. */
const published = [...text.matchAll(/^nats pub -H Nats-Msg-Id:(\S+) (ingest\.\S+) '(.*)'$/gm)].map(
  ([, id, subject, body]) => ({
    id,
    subject,
    envelope: JSON.parse(body!.replaceAll(`'$ORG'`, 'org-1')) as {
      id: string
      type: string
      orgId: string
      data: unknown
    },
  }),
)

describe('the producers’ documentation', () => {
  it('has one line for each kind of message', () => {
    expect(published.map(({ envelope }) => envelope.type).sort()).to.deep.equal(
      ingestSubjects.map(({ name }) => name).sort(),
    )
  })

  for (const { id, subject, envelope } of published) {
    it(`shows a ${envelope.type} that decodes, under its own subject and id`, () => {
      const declared = ingestSubjects.find(({ name }) => name === envelope.type)!
      expect(() => decoder(declared.schema)(envelope.data)).not.to.throw()
      expect(subject).to.equal(`ingest.${declared.kind}.$ORG.$ACCOUNT`)
      expect(envelope.id).to.equal(id)
    })
  }

  for (const subject of ingestSubjects) {
    it(`${subject.name} decodes its own examples`, () => {
      expect(subject.examples.length).to.be.at.least(1)
      for (const example of subject.examples) expect(() => decoder(subject.schema)(example)).not.to.throw()
    })
  }
})
