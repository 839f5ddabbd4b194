import 'reflect-metadata'
import { stopTestStores } from '#test/harness/stores.ts'

export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestStores()
}
