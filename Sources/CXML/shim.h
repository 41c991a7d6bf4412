#include <libxml/HTMLparser.h>
#include <libxml/tree.h>
#include <libxml/parser.h>

// The number of the loaded library, such as 20914: a variable, which Swift would take for one that
// threads share.
static inline const char *luath_xml_version(void) { return xmlParserVersion; }
