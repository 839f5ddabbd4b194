/** Which services a commitment may be bought for together, by `service-scope.csv`: what is used of them says how much is steady. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

/** `service` is an expression over the service's name in small letters, `component` names separated by bars. */
interface Row {
  scope: string
  provider: string
  service: string
  component: string
}

const rows: readonly Row[] = parse(readFileSync(new URL('service-scope.csv', import.meta.url)), { columns: true })

const scopes = rows.map(({ scope, provider, service, component }) => ({
  scope,
  provider,
  service: new RegExp(service),
  components: new Set(component.split('|')),
}))

/** The scopes that a cloud has. */
export const scopesOf = (provider: string): string[] =>
  scopes.filter((scope) => scope.provider === provider).map(({ scope }) => scope)

/** The scopes that use of a component of a service counts in. */
export const scopesOfUse = (provider: string, service: string, component: string): string[] =>
  scopes
    .filter((one) => one.provider === provider && one.components.has(component))
    .filter((one) => one.service.test(service.toLowerCase()))
    .map(({ scope }) => scope)
