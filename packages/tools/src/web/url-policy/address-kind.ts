import ipaddr from 'ipaddr.js';

/**
 * What an IP address is: `public` is in the part of the address space that is routed for everybody; `metadata` belongs to
 * services that hand out the credentials of a cloud machine; `private` is everything else, transition addresses that hide
 * an IPv4 address among them; `invalid` is no address.
 */
export type AddressKind = 'public' | 'private' | 'metadata' | 'invalid';

/** Classifies an address in its canonical spelling, with or without a zone; it must not be in brackets. */
export function addressKind(address: string): AddressKind {
  const text = address.replace(/%.*$/s, '');
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return kindOfVersion4(ipaddr.IPv4.parse(text));
  if (!ipaddr.IPv6.isValid(text)) return 'invalid';
  return kindOfVersion6(ipaddr.IPv6.parse(text));
}

/** Services outside the link-local range: Alibaba's, Oracle's old one, Azure's wire server. */
const metadataVersion4 = new Set(['100.100.100.200', '192.0.0.192', '168.63.129.16']);

/** Of Amazon (instances and containers) and of Google. */
const metadataVersion6 = new Set(
  ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'].map((text) => ipaddr.IPv6.parse(text).toNormalizedString()),
);

/** The only part of IPv6 from which addresses are given out. The library takes whatever it does not know for public. */
const globalVersion6 = ipaddr.IPv6.parseCIDR('2000::/3');

const compatibleVersion6 = ipaddr.IPv6.parseCIDR('::/96');

function kindOfVersion4(address: ipaddr.IPv4): AddressKind {
  // The link-local range holds nothing but neighbours without an address and metadata services, at several numbers.
  if (address.range() === 'linkLocal' || metadataVersion4.has(address.toString())) return 'metadata';
  return address.range() === 'unicast' ? 'public' : 'private';
}

function kindOfVersion6(address: ipaddr.IPv6): AddressKind {
  if (metadataVersion6.has(address.toNormalizedString())) return 'metadata';
  const embedded = embeddedVersion4(address);
  if (embedded !== undefined) return kindOfVersion4(embedded) === 'metadata' ? 'metadata' : 'private';
  return address.match(globalVersion6) && address.range() === 'unicast' ? 'public' : 'private';
}

/** The IPv4 address to which a translator or a tunnel would send. */
function embeddedVersion4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  const range: string = address.range();
  switch (range) {
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return new ipaddr.IPv4(bytes.slice(12));
    case '6to4':
      return new ipaddr.IPv4(bytes.slice(2, 6));
    case 'teredo':
      return new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff));
    default:
      return address.match(compatibleVersion6) ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
  }
}
