/** People with a second factor. */
import { generateSync } from 'otplib'
import { advance, ask, password, type Person } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'

export interface Device {
  secret: string
  recoveryCodes: string[]
}

/** What a device shows now, or `steps` of 30 seconds later. */
export async function shownBy({ secret }: Pick<Device, 'secret'>, steps = 0): Promise<string> {
  const { connections } = await testProduct()
  return generateSync({ secret, epoch: Math.floor(connections.clock.now() / 1000) + steps * 30 })
}

/** Enables a second factor of a person signed in. The next code is good: the clock has been moved on. */
export async function withDevice({ accessToken: token }: Pick<Person, 'accessToken'>): Promise<Device> {
  const begun = await ask('POST', '/auth/second-factor', { token, body: { password } })
  if (begun.status !== 201) throw new Error(`cannot enroll: ${JSON.stringify(begun.body)}`)
  const { secret } = begun.body.data
  const code = await shownBy({ secret })
  const { status, body } = await ask('POST', '/auth/second-factor/confirm', { token, body: { code } })
  if (status !== 200) throw new Error(`cannot confirm: ${JSON.stringify(body)}`)
  await advance(30)
  return { secret, recoveryCodes: body.data.recoveryCodes }
}

/** The challenge that a sign-in by password answers. */
export async function challenged(email: string, given = password): Promise<string> {
  const { status, body } = await ask('POST', '/auth/login', { body: { provider: 'email', email, password: given } })
  if (status !== 403 || body.code !== 'mfa_required') throw new Error(`is not asked for it: ${JSON.stringify(body)}`)
  return body.challenge
}

export const answer = (challenge: string, code: string) =>
  ask('POST', '/auth/login/totp', { body: { challenge, code } })

/** Signs in with the device; moves the clock on, so that the next code is good. */
export async function loginWith(email: string, device: Device): Promise<Person> {
  const { status, body } = await answer(await challenged(email), await shownBy(device))
  if (status !== 200) throw new Error(`cannot sign in: ${JSON.stringify(body)}`)
  await advance(30)
  return { email, ...body.data }
}
