/** Passwords: argon2id with the parameters OWASP names first. A hash takes 19 MiB and some ten milliseconds. */
import { hash, verify } from '@node-rs/argon2'
import { Fault } from '#engine/value/fault.ts'

const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const current = '$argon2id$v=19$m=19456,t=2,p=1$'

/** Hashes at a time, and callers that may wait for theirs. */
const runningMax = 2
const waitingMax = 50

let running = 0
const waiting: (() => void)[] = []

/** @throws Fault `unavailable` when too many wait */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < runningMax) running++
  else if (waiting.length >= waitingMax)
    throw Fault.transient('unavailable', 'Too many concurrent sign-ins. Try again.')
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    // A place is handed on; nobody who comes now takes it first.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, parameters))

/** What a person without a password is compared with, so that it takes as long. Nobody knows its password. */
const nobody = hash(crypto.randomUUID(), parameters)

/** Whether `password` is the one of `phc`. Takes as long without one. */
export const isPassword = (phc: string | null, password: string): Promise<boolean> =>
  inTurn(async () => (await verify(phc ?? (await nobody), password)) && phc !== null)

/** Whether a hash was made with other parameters than those of today. */
export const isOutdated = (phc: string): boolean => !phc.startsWith(current)
