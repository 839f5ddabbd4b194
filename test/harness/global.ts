import 'reflect-metadata'
import { stopTestBrowser } from '#test/harness/chromium.ts'
import { stopMoto } from '#test/harness/moto.ts'
import { stopTestProduct } from '#test/harness/product.ts'
import { stopTestStores } from '#test/harness/stores.ts'

export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestBrowser()
  await stopTestProduct()
  await stopMoto()
  await stopTestStores()
}

export { codeHooks as mochaHooks } from '#test/harness/declared-code.ts'
