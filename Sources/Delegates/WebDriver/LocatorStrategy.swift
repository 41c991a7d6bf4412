/// How an element is named to the driver (WebDriver Level 2 section 12.3.1).
public enum LocatorStrategy: String, Sendable {
  case css = "css selector"
  case linkText = "link text"
  case partialLinkText = "partial link text"
  case tagName = "tag name"
  case xpath = "xpath"
}
