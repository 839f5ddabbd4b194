import { createCipheriv, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { SealedColumn } from '#engine/seal.ts'
import { freshKey, givenKeys, keptKeys, sealing, sealKey, writeKeys } from '#config/secrets/seal.ts'

const text = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const column: SealedColumn = { table: 'account', column: 'credentials', isOfOrg: true, purpose: 'reach a cloud' }
const elsewhere: SealedColumn = { ...column, table: 'metric' }
const otherwise: SealedColumn = { ...column, purpose: 'sign' }
const columns = [column, elsewhere, otherwise]
const secret = { roleARN: 'arn:aws:iam::1:role/x', 'odd "name"': '\u00e9' }
const { seal, open } = sealing(givenKeys(text(7)), columns)

/** As values were sealed before keys had names. */
function sealedBefore(key: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonce)
  const all = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), all]).toString('base64')
}

describe('sealed credentials', () => {
  it('come back as they were, look different every time, and say which key it was', () => {
    expect(open(column, 'o1', seal(column, 'o1', secret))).to.deep.equal(secret)
    expect(seal(column, 'o1', secret)).not.to.equal(seal(column, 'o1', secret))
    expect(seal(column, 'o1', secret).split('.').slice(0, 2)).to.deep.equal(['s1', sealKey(text(7)).id])
  })

  it('are worthless in another organization, another table and for another purpose', () => {
    const sealed = seal(column, 'o1', secret)
    expect(() => open(column, 'o2', sealed)).to.throw(Fault)
    expect(() => open(elsewhere, 'o1', sealed)).to.throw(Fault)
    expect(() => open(otherwise, 'o1', sealed)).to.throw(Fault)
  })

  it('are refused under another key, and when any byte of them was cut off or changed, without a word of what they hold', async () => {
    const other = sealing(givenKeys(text(8)), columns)
    const sealed = seal(column, 'o1', secret)
    expect(() => other.open(column, 'o1', sealed)).to.throw(Fault)
    expect(() => other.open(column, 'o1', sealedBefore(text(7)))).to.throw(Fault)
    const [form, key, body] = sealed.split('.')
    const warned: string[] = []
    const hear = ({ message }: Error) => void warned.push(message)
    process.on('warning', hear)
    for (const [bytes, write] of [
      [Buffer.from(body!, 'base64url'), (some: Buffer) => `${form}.${key}.${some.toString('base64url')}`],
      [Buffer.from(sealedBefore(text(7)), 'base64'), (some: Buffer) => some.toString('base64')],
    ] as const) {
      for (let i = 0; i < bytes.length; i++) {
        const changed = Buffer.from(bytes)
        changed[i]! ^= 1
        for (const spoiled of [changed, bytes.subarray(0, i)]) {
          expect(() => open(column, 'o1', write(spoiled)), `byte ${i}`).to.throw(Fault)
        }
      }
    }
    const odd = [
      '',
      'x',
      '=',
      '\0',
      JSON.stringify(secret),
      `s1.${key}.`,
      `s1.000000000000.${body}`,
      `s2.${key}.${body}`,
    ]
    for (const one of odd) expect(() => open(column, 'o1', one), one).to.throw(Fault)
    await setImmediate()
    process.off('warning', hear)
    expect(warned).to.deep.equal([])
  })

  it('of the form before still open, under any key there is', () => {
    const both = sealing(givenKeys(`${text(8)},${text(7)}`), columns)
    expect(both.open(column, 'o1', sealedBefore(text(7)))).to.deep.equal(secret)
    expect(both.open(column, 'o1', sealedBefore(text(8)))).to.deep.equal(secret)
  })

  it('are sealed under the newest key and opened under all', () => {
    const both = sealing(givenKeys(`${text(8)},${text(7)}`), columns)
    expect(both.open(column, 'o1', seal(column, 'o1', secret))).to.deep.equal(secret)
    expect(both.seal(column, 'o1', secret).split('.')[1]).to.equal(sealKey(text(8)).id)
  })

  it('stand in columns that are listed, or are not sealed at all', () => {
    expect(() => seal({ ...column }, 'o1', secret)).to.throw(Fault)
  })
})

describe('keys of the data folder', () => {
  let folder: string
  beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'keys-'))))
  afterEach(() => rmSync(folder, { recursive: true }))
  const file = () => path.join(folder, 'credentials.key')

  it('are made on first use, for the eyes of their owner, and stay', () => {
    const [made, ...more] = keptKeys(folder)()
    expect(more).to.deep.equal([])
    expect(statSync(file()).mode & 0o777).to.equal(0o600)
    expect(keptKeys(folder)()).to.deep.equal([made])
  })

  it('are read from the file of the first version, which has one and no time', () => {
    writeFileSync(file(), `${text(7)}\n`)
    expect(keptKeys(folder)()).to.deep.equal([sealKey(text(7))])
    expect(readFileSync(file(), 'utf8')).to.equal(`${text(7)}\n`)
  })

  it('are known to a running process as soon as another has written them', () => {
    const keys = keptKeys(folder)
    const [old] = keys()
    const fresh = freshKey(new Date('2026-01-15T10:00:00Z'))
    writeKeys(folder, [fresh, old!])
    expect(keys()).to.deep.equal([fresh, old])
    expect(statSync(file()).mode & 0o777).to.equal(0o600)
    writeKeys(folder, [fresh])
    expect(keys()).to.deep.equal([fresh])
  })
})
