import fc from 'fast-check'
import { expect } from 'chai'
import { isRefusal, readMessage, type Message, type MessageRefusal } from '#engine/lane/message/message.ts'
import { addressed, anyMessage } from '#test/fuzz/message.ts'
import { documentedCodes, floodStream, productRegistry } from '#test/fuzz/stream.ts'
import { testProduct } from '#test/harness/product.ts'
import { amount, isDeep } from '#test/harness/tier.ts'

const isText = (text: string) => !text.includes('\0') && text.isWellFormed()

/** Why what was read could not be committed; undefined when it could. */
function wrong(read: Message | MessageRefusal, documented: ReadonlySet<string>): string | undefined {
  if (!isRefusal(read)) return JSON.stringify(read.envelope) === undefined ? 'cannot be written' : undefined
  const { orgId, place, type, messageId, fault } = read
  if (!documented.has(fault.code)) return `has the code ${fault.code}: ${String(fault.cause)}`
  return [orgId, place, type, messageId].every(isText) ? undefined : 'holds what no store takes'
}

describe('generated messages', () => {
  it('are read or refused with a documented code, whatever their bytes', async function () {
    this.timeout(amount(120_000, 120_000, 3_600_000))
    const known = productRegistry(await testProduct())
    const documented = documentedCodes()
    expect(documented.size).to.be.above(20)
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyMessage, (generated) => {
        const log = { seq: 1, at: Date.now(), ...addressed(generated, 'org-1') }
        const list = readMessage(known, log)
        expect(list.length).to.be.above(0)
        for (const read of list) {
          expect(wrong(read, documented)).to.equal(undefined)
          seen.add(isRefusal(read) ? read.fault.code : 'read')
        }
      }),
      // A few meet every code only by a seed that does; many by any.
      { numRuns: amount(300, 4000, 400_000), endOnFailure: true, ...(!isDeep && { seed: 7 }) },
    )
    expect([...seen]).to.include.members(['read', 'validation_failed', 'malformed_json', 'too_deep', 'text_invalid'])
  })

  it('are taken or become dead letters on the real stream, and no lane stands still [STREAM-06]', async function () {
    this.timeout(amount(240_000, 240_000, 3_600_000))
    // The same ones every time; npm run -s bench -- fuzz tries others.
    const seed = 7
    const count = amount(240, 3000, 300_000)
    const { published, differences, counts } = await floodStream(count, seed)
    expect(differences).to.deep.equal([])
    expect(published, `seed ${seed}`).to.be.above((count * 5) / 6)
    expect(counts, `seed ${seed}`).to.include.keys('taken', 'sent on', 'validation_failed', 'malformed_json')
  })
})
