/** An organization whose account is in moto, asked as it is by the whole product. */
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { Caller, type CallRules } from '#streams/cloud/call.ts'
import type { Moto } from '#test/harness/moto.ts'
import { setClock } from '#test/harness/people.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'
import { refusing, type Refusing } from './refusing.ts'

export const number = '123456789012'
export const role = `arn:aws:iam::${number}:role/tidemark`

export interface Connected extends Tenant {
  accountId: string
  /** What may refuse in place of AWS. */
  door: Refusing
  account(): Promise<any>
  /** A discovery of everything, to its end. */
  scan(): Promise<{ status: string; discovered: number }>
  /** Runs a job of the organization and all that it leads to. */
  job(name: string): Promise<void>
  resources(query?: string): Promise<any[]>
  data(path: string): Promise<any>
  /** Until it is so, while the clock goes on by steps: for what waits minutes before it is tried again. */
  reached(what: string, ok: () => Promise<boolean>): Promise<void>
  done(method: string, path: string, body?: object): Promise<any>
  end(): Promise<void>
}

/** moto takes seconds for what hundreds of machines have. */
const scanSeconds = 120
/** Looks in real time before the clock goes on, and how far. */
const looks = 12
const stepMs = 16_000
const live = ['queued', 'running', 'canceling']

/** `paced`: rules of its calls; left out, they are not paced. */
export async function connected(moto: Moto, fields: object = {}, paced: Partial<CallRules> = {}): Promise<Connected> {
  const org = await tenant()
  const door = await refusing(moto.url)
  // Not paced, and a door that was down is asked again at once.
  const rules = { perSecond: 10_000, burst: 10_000, pauseMs: 1, breakMs: 1, ...paced }
  const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random, rules })
  const options = { ...moto.options, caller, endpoint: door.url, clock: systemClock, allowPrivate: true }
  ownClouds.set(number, awsCloud(options))
  const data = async (path: string) => {
    const { status, body } = await org.get(path)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data
  }
  const done = async (method: string, path: string, body?: object) => {
    const answer = await org.send(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 299)
    return answer.body?.data
  }
  const { externalID } = await data('/cloud-accounts/external-id')
  const account = await done('POST', '/cloud-accounts', {
    name: 'Production',
    provider: 'aws',
    externalID: number,
    credentials: { roleARN: role, externalID },
    ...fields,
  })
  const over = async (refreshId?: string) => {
    let last: any
    await until(
      'the end of a scan',
      async () => {
        last = await data(`/resources/refresh/status${refreshId === undefined ? '' : `?refreshID=${refreshId}`}`)
        return last.status !== 'idle' && !live.includes(last.status)
      },
      scanSeconds,
    )
    return last
  }
  await over()
  return Object.assign(org, {
    accountId: account.id as string,
    door,
    data,
    done,
    reached: async (what: string, ok: () => Promise<boolean>) => {
      let looked = 0
      const isSo = async () => {
        if (await ok()) return true
        if (++looked % looks === 0) await setClock(new Date(org.connections.clock.now() + stepMs), org.orgId)
        return false
      }
      await until(what, isSo, scanSeconds)
    },
    account: () => data(`/cloud-accounts/${account.id}`),
    scan: async () => over((await done('POST', '/resources/refresh', {})).refreshID),
    job: async (name: string) => void (await done('POST', `/internal/jobs/${name}/run`, { orgId: org.orgId })),
    resources: async (query = '') => {
      const all: any[] = []
      for (let page = 1; ; page++) {
        const found = await data(`/resources?limit=100&page=${page}${query}`)
        all.push(...found)
        if (found.length < 100) return all
      }
    },
    end: async () => {
      // Its jobs would go on through the door of the next one: both have the number of one account.
      await done('PATCH', `/cloud-accounts/${account.id}`, { enabled: false })
      ownClouds.delete(number)
      await door.close()
    },
  })
}
