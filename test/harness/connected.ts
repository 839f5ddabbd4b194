/** An organization with one account at a cloud of the test's own, asked as it is by the whole product. */
import { expect } from 'chai'
import { until, type Tenant } from '#test/harness/product.ts'
import { stepping } from '#test/harness/stepping.ts'

export interface Connected extends Tenant {
  accountId: string
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

/** Stand-ins take seconds for what hundreds of machines have. */
const scanSeconds = 120
const live = ['queued', 'running', 'canceling']

function goodOf({ status, body }: { status: number; body: any }): any {
  expect(status, JSON.stringify(body)).to.equal(200)
  return body.data
}

/** What an organization asks and does with answers that have to be good ones. */
export function asking(org: Tenant): Pick<Connected, 'data' | 'done'> {
  return {
    data: async (path) => goodOf(await org.get(path)),
    done: async (method, path, body) => {
      const answer = await org.send(method, path, body)
      expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 299)
      return answer.body?.data
    },
  }
}

/** Connects the account and sees its first scan through. `end`: what else ends with it; `looks`: in real time before the clock goes on. */
export async function connect(org: Tenant, body: object, end: () => Promise<void>, looks = 12): Promise<Connected> {
  const { data, done } = asking(org)
  const account = await done('POST', '/cloud-accounts', body)
  const over = async (refreshId?: string) => {
    let last: any
    await until(
      'the end of a scan',
      async () => {
        const path = '/resources/refresh/status'
        const asked = refreshId === undefined ? undefined : await org.get(`${path}?refreshID=${refreshId}`)
        // One that is due by the clock, and begun behind it, takes its place: then that one is seen through.
        last = asked === undefined || asked.body.code === 'not_found' ? await data(path) : goodOf(asked)
        return last.status !== 'idle' && !live.includes(last.status)
      },
      scanSeconds,
    )
    return last
  }
  await over()
  return Object.assign(org, {
    accountId: account.id as string,
    data,
    done,
    reached: async (what: string, ok: () => Promise<boolean>) => {
      const step = stepping(org, looks)
      const isSo = async () => {
        if (await ok()) return true
        await step()
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
      // Its jobs would go on at the cloud of the next one: accounts of one number share what stands for it.
      await done('PATCH', `/cloud-accounts/${account.id}`, { enabled: false })
      await end()
    },
  })
}
