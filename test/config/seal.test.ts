import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { Fault } from '#engine/fault.ts'
import { sealing } from '#config/seal.ts'

describe('sealed credentials', () => {
  const { seal, open } = sealing(Buffer.alloc(32, 7).toString('base64'))
  const secret = { roleARN: 'arn:aws:iam::1:role/x', 'odd "name"': '\u00e9' }

  it('come back as they were, and look different every time', () => {
    expect(open(seal(secret))).to.deep.equal(secret)
    expect(seal(secret)).not.to.equal(seal(secret))
  })

  it('are refused under another key, and when any byte of them was cut off or changed, without a word of what they hold', async () => {
    const other = sealing(Buffer.alloc(32, 8).toString('base64'))
    expect(() => other.open(seal(secret))).to.throw(Fault)
    const bytes = Buffer.from(seal(secret), 'base64')
    const warned: string[] = []
    const hear = ({ message }: Error) => void warned.push(message)
    process.on('warning', hear)
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i]! ^= 1
      for (const spoiled of [changed, bytes.subarray(0, i)]) {
        expect(() => open(spoiled.toString('base64')), `byte ${i}`).to.throw(Fault)
      }
    }
    for (const text of ['', 'x', '=', '\0', JSON.stringify(secret)]) expect(() => open(text), text).to.throw(Fault)
    await setImmediate()
    process.off('warning', hear)
    expect(warned).to.deep.equal([])
  })
})
