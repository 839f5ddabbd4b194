/**
 * Passwords: argon2id with the parameters that OWASP recommends first. A hash takes 19 MiB and about ten milliseconds.
 */
import { hash, verify } from '@node-rs/argon2'
import { Fault } from '#engine/value/fault.ts'

const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const current = '$argon2id$v=19$m=19456,t=2,p=1$'

/** Maximum hashes at a time. Below: maximum waiting callers. */
const runningMax = 2
const waitingMax = 50

let running = 0
const waiting: (() => void)[] = []

/** @throws Fault `unavailable` if too many are waiting */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < runningMax) running++
  else if (waiting.length >= waitingMax)
    throw Fault.transient('unavailable', 'Too many concurrent sign-ins. Try again.')
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    // Passes its place to the next waiting caller, so that a new one cannot take it first.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, parameters))

/**
 * For a person without a password, the comparison is with this hash, so that it takes the same time. Nobody knows its
 * password.
 */
const nobody = hash(crypto.randomUUID(), parameters)

/** Whether `password` belongs to the hash `phc`. Takes the same time without a hash. */
export const isPassword = (phc: string | null, password: string): Promise<boolean> =>
  inTurn(async () => (await verify(phc ?? (await nobody), password)) && phc !== null)

/** Whether a hash was created with other parameters than the current ones. */
export const isOutdated = (phc: string): boolean => !phc.startsWith(current)
