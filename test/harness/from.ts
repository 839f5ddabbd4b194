import { request } from 'node:http'
import { parseJson } from '#engine/value/json.ts'
import { testProduct } from '#test/harness/product.ts'
import type { Ask } from '#test/harness/people.ts'

/** One request of the running product that comes from another address of this machine, as 127.0.0.2. */
export async function askFrom(
  localAddress: string,
  method: string,
  path: string,
  { token, body }: Pick<Ask, 'token' | 'body'> = {},
): Promise<{ status: number; body: any }> {
  const { url } = await testProduct()
  const headers = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'User-Agent': `test of ${localAddress}`,
  }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, localAddress, headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        resolve({ status: answer.statusCode ?? 0, body: text === '' ? undefined : parseJson(text) })
      })
    })
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}
