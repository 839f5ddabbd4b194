/** An organization whose account is in moto, asked as it is by the whole product. */
import { systemClock } from '#engine/clock.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { Caller, type CallRules } from '#streams/cloud/call/call.ts'
import { asking, connect, type Connected as AnyConnected } from '#test/harness/connected.ts'
import type { Moto } from '#test/harness/moto.ts'
import { ownClouds, tenant } from '#test/harness/product.ts'
import { refusing, type Refusing } from './refusing.ts'

export const number = '123456789012'
export const role = `arn:aws:iam::${number}:role/tidemark`

export interface Connected extends AnyConnected {
  /** What may refuse in place of AWS. */
  door: Refusing
}

/** `paced`: rules of its calls; left out, they are not paced. */
export async function connected(moto: Moto, fields: object = {}, paced: Partial<CallRules> = {}): Promise<Connected> {
  const org = await tenant()
  const door = await refusing(moto.url)
  // Not paced, repeated as often as answers are lost, and a door that was down is asked again at once.
  const rules = {
    perSecond: 10_000,
    burst: 10_000,
    pausesMs: { first: 1, doubledTo: 10_000 },
    budgetMin: 10_000,
    breakMs: 1,
    ...paced,
  }
  const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random, rules })
  const options = { ...moto.options, caller, endpoint: door.url, clock: systemClock, allowPrivate: true }
  ownClouds.set(number, awsCloud(options))
  const { externalID } = await asking(org).data('/cloud-accounts/external-id')
  const account = {
    name: 'Production',
    provider: 'aws',
    externalID: number,
    credentials: { roleARN: role, externalID },
    ...fields,
  }
  const end = async () => {
    ownClouds.delete(number)
    await door.close()
  }
  return Object.assign(await connect(org, account, end), { door })
}
