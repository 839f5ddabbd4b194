import 'reflect-metadata'
import { stopTestProduct } from '#test/harness/product.ts'
import { stopTestStores } from '#test/harness/stores.ts'

export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestProduct()
  await stopTestStores()
}
