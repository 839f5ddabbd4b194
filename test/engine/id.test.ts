import { expect } from 'chai'
import fc from 'fast-check'
import { isUuid, isUuidOfAnyCase, uuidOf } from '#engine/value/id.ts'

describe('ids made of parts', () => {
  it('are UUIDs, the same for the same parts, over all releases', () => {
    expect(uuidOf('o1', 'aws', '123456789012')).to.equal('cb30fccb-0e0a-8e93-88cd-ed00f57a42a5')
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        expect(uuidOf(...parts)).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      }),
    )
  })
  it('differ where the parts do, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b))
        expect(uuidOf(...a)).to.not.equal(uuidOf(...b))
      }),
    )
    expect(uuidOf('a', 'b')).to.not.equal(uuidOf('ab'))
    expect(uuidOf('1:a')).to.not.equal(uuidOf('a', ''))
  })
})

describe('a UUID', () => {
  const id = 'cb30fccb-0e0a-8e93-88cd-ed00f57a42a5'
  it('is written in lower case, and found in any', () => {
    const given = [id, id.toUpperCase(), id.replaceAll('-', ''), `${id}0`, ` ${id}`, '']
    expect(given.map(isUuid)).to.deep.equal([true, false, false, false, false, false])
    expect(given.map(isUuidOfAnyCase)).to.deep.equal([true, true, false, false, false, false])
  })
})
