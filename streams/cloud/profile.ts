/** What is known of each cloud without asking it. */
import { t, type TSchema } from '#engine/schema.ts'
import { providers, type Provider } from '#streams/names.ts'

export interface CloudProfile {
  /** What bills call it. */
  billed: RegExp
  /** The credentials it takes (decision G-20). */
  credentials: TSchema
}

const Secret = t.String({ minLength: 1, maxLength: 16_384 })
const Key = t.Union([Secret, t.Record(t.String(), t.Unknown())], { description: 'the JSON document, or its text' })

export const cloudProfiles: Readonly<Record<Provider, CloudProfile>> = {
  aws: {
    billed: /^(aws|amazon)\b/i,
    credentials: t.Object({ roleARN: Secret, externalID: Secret }),
  },
  gcp: {
    billed: /^(gcp|google)\b/i,
    credentials: t.Object({ serviceAccount: t.Optional(Key), workloadIdentity: t.Optional(Key) }, { minProperties: 1 }),
  },
  azure: {
    billed: /^(azure|microsoft)\b/i,
    credentials: t.Object({ tenantID: Secret, clientID: Secret, clientSecret: Secret }),
  },
}

/** The provider that bills call so. */
export const billedBy = (name: string): Provider | undefined =>
  providers.find((provider) => cloudProfiles[provider].billed.test(name))
