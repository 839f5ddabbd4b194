import { defineEntity, p } from '@mikro-orm/core'
import { methods, type Method } from '#http/identity/session/session-entity.ts'

const secondFactor = defineEntity({
  name: 'SecondFactor',
  tableName: 'second_factor',
  properties: {
    userId: p.uuid().primary(),
    /** The secret of TOTP, base32, sealed with AES-256-GCM. */
    sealed: p.text(),
    /** The step of 30 seconds whose code was used last: none of it or before is good any more. */
    lastStep: p.integer().default(0),
    /** Null until a first code of it came back: nobody is asked for it before. */
    confirmedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
})

/** What a person signs in with beside a password. Written only by `http/identity/second-factor/second-factor.ts`. */
export class SecondFactor extends secondFactor.class {}
secondFactor.setClass(SecondFactor)

const recoveryCode = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_code',
  properties: {
    userId: p.uuid().primary(),
    /** SHA-256 of person and code. */
    hash: p.string().length(64).primary(),
    /** It is good for one use. */
    usedAt: p.datetime(3).nullable(),
  },
})

/** A code for when the device is lost. Written only by `http/identity/second-factor/second-factor.ts`. */
export class RecoveryCode extends recoveryCode.class {}
recoveryCode.setClass(RecoveryCode)

const challenge = defineEntity({
  name: 'SecondFactorChallenge',
  tableName: 'second_factor_challenge',
  properties: {
    /** SHA-256 of the challenge. */
    hash: p.string().length(64).primary(),
    userId: p.uuid(),
    /** How the sign-in began that it goes on with. */
    method: p.enum(methods).$type<Method>(),
    /** Codes tried at it. */
    tries: p.integer().default(0),
    expiresAt: p.datetime(3).index(),
  },
})

/** A sign-in that waits for its second factor. Written only by `http/identity/second-factor/second-factor.ts`. */
export class SecondFactorChallenge extends challenge.class {}
challenge.setClass(SecondFactorChallenge)
