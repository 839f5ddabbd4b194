/**
 * The key that decrypts assertions: one for the installation, created when our metadata is first requested, stored
 * sealed.
 */
import { samlKeySealed } from '#http/identity/sealed-columns.ts'
import { SamlKey } from './saml-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { asService } from '#http/store/tenant.ts'

const id = 'decrypt'
/** Long, because providers keep the certificate for years and gain nothing from its expiry. */
const years = 20

export interface DecryptionKey {
  /** PKCS 8 PEM. */
  privatePem: string
  /** X.509, self-signed. */
  certificatePem: string
}

/** Undefined if no provider can have received it yet. */
export async function decryptionKey({ em, open }: IdentityTools): Promise<DecryptionKey | undefined> {
  const row = await asService(() => em().findOne(SamlKey, { id }))
  return row
    ? { privatePem: open(samlKeySealed, '', row.sealed) as string, certificatePem: row.certificatePem }
    : undefined
}

/** The key, created if there is none. If several processes create it at once, one of them wins. */
export async function publishedKey(tools: IdentityTools): Promise<DecryptionKey> {
  const known = await decryptionKey(tools)
  if (known) return known
  const now = tools.now()
  const notAfterDate = new Date(now)
  notAfterDate.setUTCFullYear(now.getUTCFullYear() + years)
  // Loaded on use: it is large, and needed once in the life of an installation.
  const { generate } = await import('selfsigned')
  const made = await generate([{ name: 'commonName', value: 'Tidemark SAML' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notBeforeDate: now,
    notAfterDate,
  })
  await asService(() =>
    tools
      .em()
      .execute(
        'insert into saml_key (id, sealed, certificate_pem, created_at) values (?, ?, ?, ?) on conflict do nothing',
        [id, tools.seal(samlKeySealed, '', made.private), made.cert, now.toISOString()],
      ),
  )
  return (await decryptionKey(tools))!
}

/**
 * Algorithms with which assertions may be encrypted. RSA with PKCS #1 v1.5 padding and triple DES are broken, and
 * refused.
 */
const algorithms = [
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
]
const space = `(?:\\s+xmlns(?::[\\w.-]+)?=(?:"[^"<>]*"|'[^'<>]*'))*`
const allowedMethod = new RegExp(
  `^<[^\\s<>/]*EncryptionMethod${space}\\s+Algorithm=(["'])(?:${algorithms.map((one) => one.replaceAll('.', '\\.')).join('|')})\\1${space}\\s*/?>$`,
)

/** Whether every encrypted part declares an allowed algorithm. */
export const isWellEncrypted = (xml: string): boolean =>
  (xml.match(/<[^\s<>/]*EncryptionMethod(?=[\s/>])[^>]*>/g) ?? []).every((method) => allowedMethod.test(method))
