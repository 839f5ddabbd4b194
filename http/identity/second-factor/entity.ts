import { defineEntity, p } from '@mikro-orm/core'
import { methods, type Method } from '#http/identity/session/session-entity.ts'

const secondFactor = defineEntity({
  name: 'SecondFactor',
  tableName: 'second_factor',
  properties: {
    userId: p.uuid().primary(),
    /** The TOTP secret, base32, sealed with AES-256-GCM. */
    sealed: p.text(),
    /** The 30-second step whose code was used last: codes of it and earlier ones are no longer valid. */
    lastStep: p.integer().default(0),
    /** Null until its first code was entered: before that it is not required. */
    confirmedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
})

/**
 * The second factor of a person who signs in with a password. Written only by
 * `http/identity/second-factor/second-factor.ts`.
 */
export class SecondFactor extends secondFactor.class {}
secondFactor.setClass(SecondFactor)

const recoveryCode = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_code',
  properties: {
    userId: p.uuid().primary(),
    /** SHA-256 of person and code. */
    hash: p.string().length(64).primary(),
    /** Each can be used once. */
    usedAt: p.datetime(3).nullable(),
  },
})

/** A code for a lost device. Written only by `http/identity/second-factor/second-factor.ts`. */
export class RecoveryCode extends recoveryCode.class {}
recoveryCode.setClass(RecoveryCode)

const challenge = defineEntity({
  name: 'SecondFactorChallenge',
  tableName: 'second_factor_challenge',
  properties: {
    /** SHA-256 of the challenge. */
    hash: p.string().length(64).primary(),
    userId: p.uuid(),
    /** The method with which the sign-in started. */
    method: p.enum(methods).$type<Method>(),
    /** Number of codes tried. */
    tries: p.integer().default(0),
    expiresAt: p.datetime(3).index(),
  },
})

/** A sign-in that waits for its second factor. Written only by `http/identity/second-factor/second-factor.ts`. */
export class SecondFactorChallenge extends challenge.class {}
challenge.setClass(SecondFactorChallenge)
