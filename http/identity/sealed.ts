/** What identity keeps sealed. */
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

export const identitySealed = [signingKeySealed, samlKeySealed, answerSealed, secondFactorSealed]
