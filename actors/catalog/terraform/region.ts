/** The region of a resource in a plan. */
import {
  configurationOfModule,
  declarationOf,
  expressionOf,
  moduleCallsOf,
  type Configuration,
  type Variables,
} from './document.ts'
import { later, type TerraformValues } from './values.ts'

interface ResourceAddress {
  type: string
  name?: string
  module_address?: string
}

type Cloud = 'aws' | 'gcp' | 'azure'

const cloudOf = (type: string): Cloud | undefined => {
  if (type.startsWith('aws_')) return 'aws'
  if (type.startsWith('google_')) return 'gcp'
  return type.startsWith('azurerm_') ? 'azure' : undefined
}

/** The format of region names, and the attributes that contain the region, most specific first. */
const clouds: Readonly<Record<Cloud, { shape: RegExp; paths: readonly string[]; provider: readonly string[] }>> = {
  aws: {
    shape: /^[a-z]{2}(?:-[a-z]+)+-\d+$/,
    paths: ['availability_zone', 'region', 'arn'],
    provider: ['region'],
  },
  gcp: {
    shape: /^[a-z]+(?:-[a-z]+)+\d+$/,
    paths: ['zone', 'region', 'location'],
    provider: ['region', 'zone'],
  },
  azure: { shape: /^[a-z]+\d?$/, paths: ['location'], provider: [] },
}

/** Zones, links and ARNs contain the region. */
function regionIn(cloud: Cloud, said: string): string | undefined {
  if (cloud === 'azure') return match(cloud, said.toLowerCase().replaceAll(' ', ''))
  if (cloud === 'gcp') return match(cloud, said.slice(said.lastIndexOf('/') + 1).replace(/-[a-z]$/, ''))
  if (said.startsWith('arn:')) return match(cloud, said.split(':')[3] ?? '')
  return match(cloud, said.replace(/(\d)[a-z]$/, '$1'))
}

const match = (cloud: Cloud, said: string): string | undefined => (clouds[cloud].shape.test(said) ? said : undefined)

/** The cloud with this format of region names; undefined if none has it, for example for a zone. */
export const cloudOfRegion = (region: string): Cloud | undefined =>
  (Object.keys(clouds) as Cloud[]).find((cloud) => match(cloud, region) !== undefined)

export class RegionOf {
  readonly #configuration: Configuration
  readonly #variables: Variables
  readonly #given: readonly string[]

  constructor(configuration: Configuration = {}, variables: Variables = {}, given: readonly string[] = []) {
    this.#configuration = configuration
    this.#variables = variables
    this.#given = given
  }

  /** Undefined for resources of any other provider. */
  of(resource: ResourceAddress): (values: TerraformValues) => string | undefined {
    const cloud = cloudOf(resource.type)
    if (!cloud) return () => undefined
    let ofProvider: string | undefined | null = null
    return (values) => {
      const own = this.#own(cloud, values)
      if (own !== null) return own
      if (ofProvider === null) ofProvider = this.#ofProvider(cloud, resource)
      return ofProvider ?? this.#given.find((one) => match(cloud, one) !== undefined)
    }
  }

  /** Null if the resource names none; undefined if it names an unknown one, such as a zone without a region. */
  #own(cloud: Cloud, values: TerraformValues): string | undefined | null {
    for (const path of clouds[cloud].paths) {
      const said = values.text(path)
      if (said === undefined || said === later || said === 'global') continue
      const region = regionIn(cloud, said)
      // ARNs of global resources have an empty region.
      if (region === undefined && path === 'arn') continue
      return region
    }
    return null
  }

  #ofProvider(cloud: Cloud, resource: ResourceAddress): string | undefined {
    const config = this.#provider(resource)
    if (!config) return undefined
    for (const name of clouds[cloud].provider) {
      const said = this.#said(config.expressions?.[name], config.module_address)
      const region = said === undefined ? undefined : regionIn(cloud, said)
      if (region !== undefined) return region
    }
    return undefined
  }

  /**
   * A module without its own provider uses that of the module around it; a provider with an alias must be passed by
   * name.
   */
  #provider(resource: ResourceAddress) {
    const key = this.#providerKey(resource)
    const local = key.slice(key.lastIndexOf(':') + 1)
    const providers = this.#configuration.provider_config ?? {}
    if (Object.hasOwn(providers, key)) return providers[key]
    return !local.includes('.') && Object.hasOwn(providers, local) ? providers[local] : undefined
  }

  #providerKey(resource: ResourceAddress): string {
    const { type, module_address: module = '' } = resource
    const configuration = configurationOfModule(this.#configuration, moduleCallsOf(module))
    return declarationOf(configuration, resource)?.provider_config_key ?? type.slice(0, type.indexOf('_'))
  }

  /** A constant or a root variable; other expressions can only be evaluated by Terraform. */
  #said(of: unknown, module: string | undefined): string | undefined {
    const expression = expressionOf(of)
    if (typeof expression?.constant_value === 'string') return expression.constant_value
    const references = expression?.references ?? []
    if (references.length !== 1 || module) return undefined
    const [, name = ''] = /^var\.([\w-]+)$/.exec(references[0]!) ?? []
    const value = Object.hasOwn(this.#variables, name) ? this.#variables[name]?.value : undefined
    return typeof value === 'string' ? value : undefined
  }
}
