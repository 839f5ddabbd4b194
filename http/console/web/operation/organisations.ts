/** Made from the routes by test/console/operations.ts; never by hand. */
export interface OrganisationsOperations {
  'DELETE /organisations/:orgID/saml': {
    reply: undefined
  }
  'GET /organisations/:orgID/saml': {
    reply: {
      entityID: string
      ssoURL: string
      certificatePEM: string
      emailDomains: string[]
      enabled: boolean
      domains: ({
        domain: string
        status: 'pending' | 'verified'
        record: {
          name: string
          type: 'TXT'
          value: string
        }
        verifiedAt: string | null
      })[]
      createdAt: string
      updatedAt: string
    }
  }
  'GET /organisations/:orgID/settings': {
    reply: {
      requireSecondFactor: boolean
      anomalyNotifyMinUSD: number
      hasIdentityProvider: boolean
      updatedAt: string | null
    }
  }
  'PATCH /organisations/:orgID/settings': {
    reply: {
      requireSecondFactor: boolean
      anomalyNotifyMinUSD: number
      hasIdentityProvider: boolean
      updatedAt: string | null
    }
  }
  'POST /organisations': {
    reply: {
      id: string
      name: string
      createdAt: string
    }
  }
  'POST /organisations/:orgID/saml/domains/:domain/verify': {
    reply: {
      domain: string
      status: 'pending' | 'verified'
      record: {
        name: string
        type: 'TXT'
        value: string
      }
      verifiedAt: string | null
    }
  }
  'PUT /organisations/:orgID/saml': {
    reply: {
      entityID: string
      ssoURL: string
      certificatePEM: string
      emailDomains: string[]
      enabled: boolean
      domains: ({
        domain: string
        status: 'pending' | 'verified'
        record: {
          name: string
          type: 'TXT'
          value: string
        }
        verifiedAt: string | null
      })[]
      createdAt: string
      updatedAt: string
    }
  }
}
