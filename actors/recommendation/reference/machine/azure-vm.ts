import { azureRatios, azureSizes, namedAzure } from '#streams/cloud/reference/azure/sizes.ts'
import type { PricedResource } from '#actors/recommendation/rule/contract.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import { windowsUsd, type MachineCatalogue } from './machine.ts'
import { withOwn } from './own-size.ts'
import { textAt } from '#actors/recommendation/reference/fact-value.ts'

export function azureVmCatalogue(book: OwnValueTable): MachineCatalogue {
  const sizes = withOwn(azureSizes(), book, 'azure-vm', namedAzure)
  const all = [...sizes.values()]
  const ratios = azureRatios()
  // Some responses of the cloud have names in lower case.
  const caseless = new Map(all.map((size) => [size.name.toLowerCase(), size]))
  return {
    find: (name) => caseless.get(name.toLowerCase()),
    sizes: () => all,
    usd: ({ name, usdHour }, { region }) => {
      const own = book.number('azure-vm', region, name, 'usd_hour')
      if (own !== undefined || usdHour === undefined || book.hasList('azure-vm', region)) return own
      return ratios.regions.has(region) ? usdHour * ratios.of(name, region) : usdHour
    },
    surcharge,
    copies: () => 1,
    keepsBurst: false,
  }
}

/** Default: Linux. Windows under an existing licence has no surcharge. */
function surcharge(of: PricedResource): number | undefined {
  const isWindows = textAt(of, 'specs.os_type')?.toLowerCase() === 'windows'
  return isWindows && textAt(of, 'specs.license_type')?.toLowerCase() !== 'windows_server' ? windowsUsd : 0
}
