import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import type { Log } from '#engine/actor/ports.ts'
import { Publisher } from '#engine/run/publisher.ts'
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'

const happened = subject({
  name: 'thing.happened',
  kind: 'actor',
  summary: 'Something happened.',
  place: () => 'p',
  schema: t.Object({}),
  examples: [{}],
})

describe('messages that the product itself publishes', () => {
  /** Ids of what was published under these, of the messages and in them. */
  const idsOf = async (...ids: readonly string[]) => {
    const sent: { id: string; body: string }[] = []
    const log = { laneOf: () => 0, publish: async (one: { id: string; body: string }) => void sent.push(one) }
    const publisher = new Publisher(log as unknown as Log, systemClock, 'test')
    for (const id of ids) await publisher.publish({ subject: happened, orgId: 'o', data: {}, id })
    for (const { id, body } of sent) expect((JSON.parse(body) as { id: string }).id).to.equal(id)
    return sent.map(({ id }) => id)
  }

  it('have the ids they are given, and of those that are longer than one is taken the same for the same', async () => {
    const long = 'x'.repeat(257)
    const [longest, first, again, other] = await idsOf('x'.repeat(256), long, long, `${long}y`)
    expect(longest).to.equal('x'.repeat(256))
    expect(first).to.match(/^[0-9a-f-]{36}$/)
    expect(again).to.equal(first)
    expect(other).to.match(/^[0-9a-f-]{36}$/)
    expect(other === first).to.equal(false)
  })
})
