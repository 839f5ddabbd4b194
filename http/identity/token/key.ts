/**
 * The keys that sign access tokens: created on first use, sealed in PostgreSQL, replaced every 30 days; two of them are
 * published.
 */
import { dayMs } from '#engine/value/day.ts'
import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Open, Seal } from '#engine/seal.ts'
import { signingKeySealed } from '#http/identity/sealed-columns.ts'
import { SigningKey, type Jwk } from '#http/identity/session/session-entity.ts'
import { asService } from '#http/store/tenant.ts'

export interface KeyTools {
  em: () => EntityManager
  now: () => Date
  seal: Seal
  open: Open
}

interface SigningKeyPair {
  kid: string
  createdAt: number
  jwk: Jwk
  public: KeyObject
  private: KeyObject
}

const rotateMs = 30 * dayMs
/** Milliseconds after which a key that another process created, or an operator revoked, is known here. */
const rereadMs = 5_000
/** The one that signs, and the one before it. */
const publishedMax = 2
const lockKey = 7_214_001
const generate = promisify(generateKeyPair)

export class KeyRing {
  private readonly tools: KeyTools
  private known: Promise<SigningKeyPair[]> | undefined
  private readAt = 0

  constructor(tools: KeyTools) {
    this.tools = tools
  }

  /** The signing key; created if there is none, or if it is too old. */
  async signer(): Promise<{ kid: string; key: KeyObject }> {
    const [newest] = await this.keys()
    const isYoung = newest && this.tools.now().getTime() - newest.createdAt < rotateMs
    const key = isYoung ? newest : await this.replace(newest?.kid)
    return { kid: key.kid, key: key.private }
  }

  /** The public key for a token's `kid`; undefined if it is not, or no longer, one of ours. */
  async verifier(kid: string): Promise<KeyObject | undefined> {
    return (await this.keys()).find((key) => key.kid === kid)?.public
  }

  /** The public keys for other verifiers (RFC 7517). */
  async published(): Promise<Jwk[]> {
    await this.signer()
    return (await this.keys()).map(({ jwk }) => jwk)
  }

  /** Creates the next key now. With `revoke`, all others are revoked, and what they signed is refused from now on. */
  async rotate(revoke = false): Promise<string> {
    const [newest] = await this.keys()
    const { kid } = await this.replace(newest?.kid)
    if (revoke) await asService(() => this.tools.em().nativeDelete(SigningKey, { kid: { $ne: kid } }))
    this.readAt = -Infinity
    return kid
  }

  private async keys(): Promise<SigningKeyPair[]> {
    const at = performance.now()
    if (!this.known || at - this.readAt >= rereadMs) {
      this.readAt = at
      this.known = this.read(this.known)
      this.known.catch(() => (this.known = undefined))
    }
    return this.known
  }

  private async read(before: Promise<SigningKeyPair[]> | undefined): Promise<SigningKeyPair[]> {
    const opened = new Map((await before?.catch(() => []))?.map((key) => [key.kid, key]))
    const rows = await asService(() =>
      this.tools.em().find(SigningKey, {}, { orderBy: { createdAt: 'desc', kid: 'desc' }, limit: publishedMax }),
    )
    return rows.map((row) => opened.get(row.kid) ?? this.opened(row))
  }

  private opened({ kid, sealed, publicJwk, createdAt }: SigningKey): SigningKeyPair {
    return {
      kid,
      createdAt: createdAt.getTime(),
      jwk: publicJwk,
      public: createPublicKey({ key: { ...publicJwk }, format: 'jwk' }),
      private: createPrivateKey(this.tools.open(signingKeySealed, '', sealed) as string),
    }
  }

  /** If several processes find the same key too old, one of them creates the next. */
  private async replace(old: string | undefined): Promise<SigningKeyPair> {
    const row = await asService(() =>
      this.tools.em().transactional(async (em) => {
        await em.execute('select pg_advisory_xact_lock(?)', [lockKey])
        const [newest] = await em.find(SigningKey, {}, { orderBy: { createdAt: 'desc', kid: 'desc' }, limit: 1 })
        if (newest && newest.kid !== old) return newest
        const made = em.create(SigningKey, await this.made())
        // Otherwise the first of two created in the same millisecond might count as the newer one.
        if (newest && made.createdAt <= newest.createdAt) made.createdAt = new Date(newest.createdAt.getTime() + 1)
        em.persist(made)
        return made
      }),
    )
    this.readAt = -Infinity
    return this.opened(row)
  }

  private async made() {
    const pair = await generate('rsa', { modulusLength: 2048 })
    const kid = randomUUID()
    const { n = '', e = '' } = pair.publicKey.export({ format: 'jwk' })
    const sealed = this.tools.seal(signingKeySealed, '', pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const publicJwk = { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
    return { kid, sealed, publicJwk, createdAt: this.tools.now() }
  }
}
