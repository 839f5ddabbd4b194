import { expect } from 'chai'
import { actors } from '#actors/index.ts'
import { tellWork } from '#engine/run/tell.ts'
import { subjects } from '#streams/index.ts'
import { protocolWords } from '#config/state/protocol.ts'
import { works } from '#config/wiring/works.ts'
import { testProduct } from '#test/harness/product.ts'

describe('the protocol of a version', () => {
  it('names every message, actor, call and shape: where they change its number is raised, so that older engines leave the lanes', async () => {
    const { connections, product } = await testProduct()
    const get: typeof product.get = (what) => product.get(what)
    const { effects, projections } = works(connections, get)
    const words = [
      ...subjects.map(({ name }) => `message ${name}`),
      ...actors.map(({ kind }) => `actor ${kind}`),
      ...effects.map(({ name }) => `call ${name}`),
      ...projections.map(({ name }) => `shape ${name}`),
    ].toSorted()
    expect(
      protocolWords,
      `raise "number" in config/state/protocol.json; words: ${JSON.stringify(words)}`,
    ).to.deep.equal(words)
  })
})

describe('what is told outside of a turn', () => {
  it('waits for a version that knows its subject, however often that is tried', async () => {
    const work = tellWork([], { publish: () => expect.fail('nothing is published') } as never)
    const input = { subject: 'of.the.next.version', id: 'x', time: '2026-01-01T00:00:00Z', data: {} }
    const call = { key: 'k', orgId: 'o', attempt: 1_000_000, signal: new AbortController().signal }
    const error = await work.run(input, call).catch((caught: unknown) => caught)
    expect(error).to.include({ kind: 'transient', code: 'unknown_subject' })
    expect(call.attempt).to.be.lessThan(work.retry.tries)
  })
})
