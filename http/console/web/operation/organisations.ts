/** Made from the routes by test/console/operations.ts; never by hand. */
export interface OrganisationsOperations {
  'DELETE /organisations/:orgID': {
    reply: {
      orgID: string
      requestedAt: string
      deletesAt: string
    }
  }
  'DELETE /organisations/:orgID/oidc': {
    reply: undefined
  }
  'DELETE /organisations/:orgID/saml': {
    reply: undefined
  }
  'DELETE /organisations/:orgID/scim/tokens/:scimTokenID': {
    reply: undefined
  }
  'GET /organisations/:orgID/oidc': {
    reply: {
      issuer: string
      clientID: string
      scopes: string[]
      emailClaim: string
      emailVerifiedClaim: string
      nameClaim: string
      emailDomains: string[]
      enabled: boolean
      redirectURI: string
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
  'GET /organisations/:orgID/scim/tokens': {
    reply: ({
      id: string
      name: string
      prefix: string
      madeBy: 'owner' | 'admin'
      createdAt: string
      lastUsedAt: string | null
      expiresAt: string | null
    })[]
  }
  'GET /organisations/:orgID/settings': {
    reply: {
      requireSecondFactor: boolean
      anomalyNotifyMinUSD: number
      anomalyNotifyRecurring: boolean
      consolidated: 'payer' | 'member'
      hasIdentityProvider: boolean
      hasOpenIDProvider: boolean
      updatedAt: string | null
    }
  }
  'PATCH /organisations/:orgID/settings': {
    reply: {
      requireSecondFactor: boolean
      anomalyNotifyMinUSD: number
      anomalyNotifyRecurring: boolean
      consolidated: 'payer' | 'member'
      hasIdentityProvider: boolean
      hasOpenIDProvider: boolean
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
  'POST /organisations/:orgID/oidc/domains/:domain/verify': {
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
  'POST /organisations/:orgID/scim/tokens': {
    reply: {
      id: string
      name: string
      prefix: string
      madeBy: 'owner' | 'admin'
      createdAt: string
      lastUsedAt: string | null
      expiresAt: string | null
      token: string
    }
  }
  'PUT /organisations/:orgID/oidc': {
    reply: {
      issuer: string
      clientID: string
      scopes: string[]
      emailClaim: string
      emailVerifiedClaim: string
      nameClaim: string
      emailDomains: string[]
      enabled: boolean
      redirectURI: string
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
