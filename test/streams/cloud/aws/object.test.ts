import { expect } from 'chai'
import { objectText } from '#streams/cloud/aws/bill/object.ts'
import { fails, refusing, stubSession } from './stub-session.ts'

const object = { bucket: 'bills', region: 'eu-west-1', key: 'prod/daily-1.csv' }
const mebi = 1024 * 1024
const whole = 'a'.repeat(9 * mebi) + 'b'.repeat(3)

/** The bytes that a range names. */
const bodyOf = (range: string) => {
  const [from = 0, to = 0] = range.replace('bytes=', '').split('-').map(Number)
  return { transformToByteArray: async () => Buffer.from(whole.slice(from, to + 1)) }
}

describe('objects of S3', () => {
  it('are read in ranges, a short one first and then 8 MiB, all of one version', async () => {
    const { session, calls } = stubSession(({ operation, input }) =>
      operation === 'HeadObject' ? { ContentLength: whole.length, ETag: '"v1"' } : { Body: bodyOf(input.Range) },
    )
    expect((await objectText(session, object)) === whole).to.equal(true)
    expect(calls.slice(1).map(({ region, input }) => [region, input.Range, input.IfMatch])).to.deep.equal([
      ['eu-west-1', `bytes=0-${mebi / 4 - 1}`, '"v1"'],
      ['eu-west-1', `bytes=${mebi / 4}-${8 * mebi + mebi / 4 - 1}`, '"v1"'],
      ['eu-west-1', `bytes=${8 * mebi + mebi / 4}-${9 * mebi + 2}`, '"v1"'],
    ])
  })

  it('whose bytes are lost on the way are asked for again, three times in all', async () => {
    const lost = { transformToByteArray: () => Promise.reject(new Error('aborted')) }
    const reading = (times: number) => {
      let left = times
      return stubSession(({ operation, input }) => {
        if (operation === 'HeadObject') return { ContentLength: 3, ETag: '"v1"' }
        return { Body: left-- > 0 ? lost : bodyOf(input.Range) }
      })
    }
    expect(await objectText(reading(2).session, object)).to.equal('aaa')
    const gone = reading(9)
    expect(await fails(objectText(gone.session, object))).to.equal('transient cloud_unavailable')
    expect(gone.calls.length).to.equal(4)
  })

  it('that are written anew meanwhile are read another time, and an empty one is empty', async () => {
    const { session } = stubSession(({ operation }) =>
      operation === 'HeadObject' ? { ContentLength: 3, ETag: '"v1"' } : refusing('PreconditionFailed', 412),
    )
    expect(await fails(objectText(session, object))).to.equal('transient bill_replaced')
    const empty = stubSession(() => ({ ContentLength: 0 }))
    expect(await objectText(empty.session, object)).to.equal('')
  })
})
