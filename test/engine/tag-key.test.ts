import { expect } from 'chai'
import { itemsOf, tagOf } from '#engine/value/tag-key.ts'

describe('tag keys as parameters write them', () => {
  it('end at the first colon without a backslash, and hold any sign', () => {
    const read = (written: string) => Object.values(tagOf(written))
    expect(read('env:prod')).to.deep.equal(['env', 'prod'])
    expect(read('env')).to.deep.equal(['env', ''])
    expect(read(String.raw`aws\:createdBy:a:b\:c`)).to.deep.equal(['aws:createdBy', String.raw`a:b\:c`])
    expect(read(String.raw`back\\:v`)).to.deep.equal(['back\\', 'v'])
    expect(read(String.raw`corp\ana:v`)).to.deep.equal([String.raw`corp\ana`, 'v'])
    expect(read('trailing\\')).to.deep.equal(['trailing\\', ''])
  })

  it('are items of lists, which commas divide but for those after a backslash', () => {
    expect(itemsOf('a,b')).to.deep.equal(['a', 'b'])
    expect(itemsOf(String.raw`a\,b,c`)).to.deep.equal(['a,b', 'c'])
    expect(itemsOf(String.raw`a\\,b`)).to.deep.equal([String.raw`a\\`, 'b'])
    expect(itemsOf(String.raw`a\\\,b`)).to.deep.equal([String.raw`a\\,b`])
    expect(itemsOf(',a,')).to.deep.equal(['', 'a', ''])
  })
})
