/** The key that reads encrypted assertions: one of the installation, made when our metadata is first asked for, kept sealed. */
import { samlKeySealed } from '#http/identity/sealed-columns.ts'
import { SamlKey } from './saml-entity.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { asService } from '#http/store/tenant.ts'

const id = 'decrypt'
/** Providers keep what they were given for years: nothing is gained by a certificate that ends. */
const years = 20

export interface DecryptionKey {
  /** PKCS 8 PEM. */
  privatePem: string
  /** X.509, signed by itself. */
  certificatePem: string
}

/** Undefined where no provider can have been given it yet. */
export async function decryptionKey({ em, open }: IdentityTools): Promise<DecryptionKey | undefined> {
  const row = await asService(() => em().findOne(SamlKey, { id }))
  return row
    ? { privatePem: open(samlKeySealed, '', row.sealed) as string, certificatePem: row.certificatePem }
    : undefined
}

/** The key, made if there is none. Of several processes that make it at once one does. */
export async function publishedKey(tools: IdentityTools): Promise<DecryptionKey> {
  const known = await decryptionKey(tools)
  if (known) return known
  const now = tools.now()
  const notAfterDate = new Date(now)
  notAfterDate.setUTCFullYear(now.getUTCFullYear() + years)
  // Large, and asked for once in the life of an installation.
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

/** What assertions may be encrypted with. RSA with padding of PKCS 1 v1.5 and triple DES are broken, and refused. */
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

/** Whether everything that is encrypted says that it is so by a way that is allowed. */
export const isWellEncrypted = (xml: string): boolean =>
  (xml.match(/<[^\s<>/]*EncryptionMethod(?=[\s/>])[^>]*>/g) ?? []).every((method) => allowedMethod.test(method))
