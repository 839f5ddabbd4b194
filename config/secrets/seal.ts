/** Encryption of secrets, and the keys for it. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, openSync, writeSync, fsyncSync, closeSync } from 'node:fs'
import path from 'node:path'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import type { Open, Seal, SealedColumn } from '#engine/seal.ts'

/** A 32-byte key, and the id that encrypted values name. */
export interface SealKey {
  /** 12 hex digits, derived from the key. */
  readonly id: string
  readonly bytes: Buffer
  /** When it was created, ISO 8601; undefined if unknown. */
  readonly madeAt?: string
}

/**
 * Returns the keys, newest first. The newest encrypts; all decrypt. Call it for every use: another process may have
 * created a new key.
 */
export type SealKeys = () => readonly SealKey[]

export interface Sealing {
  readonly seal: Seal
  readonly open: Open
}

/** `text` is the 32 bytes in base64. */
export function sealKey(text: string, madeAt?: string): SealKey {
  const bytes = Buffer.from(text, 'base64')
  const id = createHash('sha256').update('tidemark key id').update(bytes).digest('hex').slice(0, 12)
  return { id, bytes, ...(madeAt !== undefined && { madeAt }) }
}

/**
 * Prefix of values encrypted with this key: the format and the key's id. Values without it have the old format, which
 * is bound to neither key nor place.
 */
export const sealedUnder = ({ id }: SealKey): string => `s1.${id}.`

const shape = /^s1\.([0-9a-f]{12})\.([A-Za-z0-9_-]+)$/

/**
 * AES-256-GCM of the JSON text. The additional data is the organization, the table and the purpose. Format: `s1.<key
 * id>.<base64url of 12 bytes nonce, 16 bytes tag, ciphertext>`.
 */
export function sealing(keys: SealKeys, columns: readonly SealedColumn[]): Sealing {
  return {
    seal(column, orgId, secret) {
      if (!columns.includes(column))
        throw Fault.defect(new Error(`${column.table}.${column.column} is not in any list`))
      const [key] = keys()
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key!.bytes, nonce).setAAD(boundTo(column, orgId))
      const text = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()])
      return sealedUnder(key!) + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },
    open(column, orgId, sealed) {
      const [, id, text] = shape.exec(sealed) ?? []
      try {
        if (id === undefined) return openedOld(keys(), sealed)
        const key = keys().find((one) => one.id === id)
        if (!key) throw new Error(`key ${id} does not exist`)
        return decryptWith(key, Buffer.from(text!, 'base64url'), boundTo(column, orgId))
      } catch (cause) {
        throw Fault.defect(new Error('credentials were encrypted with another key', { cause }))
      }
    },
  }
}

const boundTo = ({ table, purpose }: SealedColumn, orgId: string): Buffer =>
  Buffer.from(JSON.stringify([orgId, table, purpose]))

function decryptWith({ bytes }: SealKey, all: Buffer, bound?: Buffer): unknown {
  const decipher = createDecipheriv('aes-256-gcm', bytes, all.subarray(0, 12), { authTagLength: 16 })
  if (bound) decipher.setAAD(bound)
  decipher.setAuthTag(all.subarray(12, 28))
  return parseJson(Buffer.concat([decipher.update(all.subarray(28)), decipher.final()]).toString('utf8'))
}

/** Decrypts a value in the old format, with whichever key fits. */
function openedOld(keys: readonly SealKey[], sealed: string): unknown {
  const all = Buffer.from(sealed, 'base64')
  let last: unknown
  for (const key of keys) {
    try {
      return decryptWith(key, all)
    } catch (error) {
      last = error
    }
  }
  throw last
}

/** Derives 32 bytes from the key, different for each purpose. */
export function deriveKey({ id, bytes }: SealKey, purpose: string): Buffer {
  const name = `${id} ${purpose}`
  const secret = derivedKeys.get(name) ?? Buffer.from(hkdfSync('sha256', bytes, '', `tidemark ${purpose}`, 32))
  derivedKeys.set(name, secret)
  return secret
}

/** Cache: there are few purposes and keys, and messages need them often. */
const derivedKeys = new Map<string, Buffer>()

/** Keys from a setting: base64, newest first, separated by commas. */
export function givenKeys(text: string): SealKeys {
  const keys = text.split(',').map((one) => sealKey(one.trim()))
  return () => keys
}

/** The keys from the setting, or else those in the data folder. */
export const sealKeysOf = ({ credentialsKey, dataDir }: { credentialsKey: string | undefined; dataDir: string }) =>
  credentialsKey === undefined ? keptKeys(dataDir) : givenKeys(credentialsKey)

const fileOf = (dataDir: string): string => path.join(dataDir, 'credentials.key')

/** The keys in the data folder, readable only by the owner; the first is created at the first use. */
export function keptKeys(dataDir: string): SealKeys {
  let known: { keys: readonly SealKey[]; stamp: string } | undefined
  return () => {
    const stamp = stampOf(fileOf(dataDir))
    if (stamp === undefined) {
      mkdirSync(dataDir, { recursive: true })
      writeKeys(dataDir, [freshKey(new Date())])
    }
    if (!known || stamp === undefined || known.stamp !== stamp)
      known = { keys: readKeys(dataDir), stamp: stampOf(fileOf(dataDir)) ?? '' }
    return known.keys
  }
}

/** Changes whenever the file is replaced. */
function stampOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`
}

export const freshKey = (now: Date): SealKey => sealKey(randomBytes(32).toString('base64'), now.toISOString())

/** One key per line, newest first: base64, and the creation time. The first version wrote one line without a time. */
function readKeys(dataDir: string): readonly SealKey[] {
  const lines = readFileSync(fileOf(dataDir), 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => sealKey(...(line.trim().split(' ') as [string, string?])))
}

/** Replaces the file atomically: if the process ends meanwhile, the previous one remains. */
export function writeKeys(dataDir: string, keys: readonly SealKey[]): void {
  const text = keys.map(({ bytes, madeAt }) => `${[bytes.toString('base64'), ...(madeAt ? [madeAt] : [])].join(' ')}\n`)
  const part = `${fileOf(dataDir)}.${process.pid}.part`
  const file = openSync(part, 'w', 0o600)
  try {
    writeSync(file, text.join(''))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(part, fileOf(dataDir))
}
