/** Where to report vulnerabilities (RFC 9116). */
import { readFile } from 'node:fs/promises'
import { dayMs } from '#engine/value/day.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'

const routeBase = { method: 'GET', permission: 'public', tags: ['Operations'], reply: t.String() } as const
const headers = { 'Cache-Control': 'public, max-age=300' }
const policyPath = '/.well-known/security-policy'
/** The standard requires less than a year. */
const goodDays = 180

export interface SecurityContact {
  /** URIs, preferred one first; empty if the operator has set none. */
  contacts: readonly string[]
  publicUrl: string
  now: Date
}

/** The file, which is the same all day. Without a contact it refers to the policy of the product. */
export function securityTxt({ contacts, publicUrl, now }: SecurityContact): string {
  const policy = `${publicUrl}${policyPath}`
  const expires = new Date((Math.floor(now.getTime() / dayMs) + goodDays) * dayMs).toISOString()
  const lines = [
    ...(contacts.length > 0 ? contacts : [policy]).map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.replace('.000', '')}`,
    // Without https an address proves nothing, and the standard does not allow it.
    ...(publicUrl.startsWith('https:') ? [`Canonical: ${publicUrl}/.well-known/security.txt`] : []),
    `Policy: ${policy}`,
  ]
  return lines.map((line) => `${line}\n`).join('')
}

export const securityTxts: readonly Route[] = [
  route({
    ...routeBase,
    path: '/.well-known/security.txt',
    summary: 'Get the security contact of this installation (RFC 9116)',
    description:
      'The operator sets the contacts (SECURITY_CONTACT); without one, it points to the security policy of the product.',
    media: 'text/plain',
    example:
      'Contact: mailto:security@example.com\nExpires: 2026-07-01T00:00:00Z\nCanonical: https://tidemark.example.com/.well-known/security.txt\nPolicy: https://tidemark.example.com/.well-known/security-policy\n',
    handle: async (_request, { settings: { securityContacts = [], publicUrl }, now }) =>
      reply(securityTxt({ contacts: securityContacts, publicUrl, now: now() }), { headers }),
  }),
  route({
    ...routeBase,
    path: policyPath,
    summary: 'Get the security policy of the product',
    description:
      'The SECURITY.md of this version. Its contact is for the product; the contact for this installation is in security.txt.',
    media: 'text/markdown',
    example: '# Security policy\n',
    handle: async () => reply(await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8'), { headers }),
  }),
]
