/** The encrypted columns of identity. */
import type { SealedColumn } from '#engine/seal.ts'

export const signingKeySealed: SealedColumn = {
  table: 'signing_key',
  column: 'sealed',
  isOfOrg: false,
  purpose: 'sign access tokens',
}

export const samlKeySealed: SealedColumn = {
  table: 'saml_key',
  column: 'sealed',
  isOfOrg: false,
  purpose: 'decrypt assertions',
}

export const answerSealed: SealedColumn = {
  table: 'idempotent_answer',
  column: 'sealed',
  isOfOrg: true,
  purpose: 'repeat an answer',
}

export const secondFactorSealed: SealedColumn = {
  table: 'second_factor',
  column: 'sealed',
  isOfOrg: false,
  purpose: 'check second factors',
}

export const oidcSecretSealed: SealedColumn = {
  table: 'oidc_connection',
  column: 'sealed',
  isOfOrg: true,
  purpose: 'ask the OpenID provider of an organization',
}

export const oidcSignInSealed: SealedColumn = {
  table: 'oidc_sign_in',
  column: 'sealed',
  isOfOrg: true,
  purpose: 'end a sign-in at an OpenID provider',
}

export const erasureSealed: SealedColumn = {
  table: 'person_erasure',
  column: 'sealed',
  isOfOrg: false,
  purpose: 'replace what a person was called',
}

export const identitySealed = [
  signingKeySealed,
  samlKeySealed,
  answerSealed,
  secondFactorSealed,
  oidcSecretSealed,
  oidcSignInSealed,
  erasureSealed,
]
