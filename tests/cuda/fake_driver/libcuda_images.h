// Images that the stand-in driver loads: cubins of NVRTC, and text that names kernels.
#pragma once
#include "libcuda_state.h"

namespace {

// The parts of an ELF file that are read; see elf.h, which other systems than Linux lack.
struct ElfSection {
    uint32_t name, type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t alignment, entry_size;
};
struct ElfSymbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;
};

// Entries of .nv.info.<kernel>: format, attribute, and a payload or a value of 16 bits.
void read_parameters(const char* data, size_t size, std::vector<Function::Parameter>& found) {
    enum { WITH_PAYLOAD = 4, PARAMETER = 0x17 };
    for (size_t at = 0; at + 4 <= size;) {
        uint8_t format = data[at], attribute = data[at + 1];
        uint16_t length;
        memcpy(&length, data + at + 2, 2);
        at += 4;
        if (format != WITH_PAYLOAD) continue;
        if (attribute == PARAMETER) {
            uint16_t ordinal, offset;
            uint32_t bits;
            memcpy(&ordinal, data + at + 4, 2);
            memcpy(&offset, data + at + 6, 2);
            memcpy(&bits, data + at + 8, 4);
            if (found.size() <= ordinal) found.resize(ordinal + 1);
            found[ordinal] = {offset, bits >> 18};
        }
        at += length;
    }
}

// Kernels with their parameters, and global variables, which get memory of the current device.
Module* read_cubin(const char* image) {
    enum { SYMBOLS = 2, OBJECT = 1, FUNCTION = 2, ENTRY = 0x10 };
    Module* module = new Module;
    uint64_t table;
    uint16_t count, names;
    memcpy(&table, image + 0x28, 8);
    memcpy(&count, image + 0x3c, 2);
    memcpy(&names, image + 0x3e, 2);
    const ElfSection* sections = (const ElfSection*)(image + table);
    auto text = [&](const ElfSection& strings, uint32_t name) {
        return std::string(image + strings.offset + name);
    };
    for (int i = 0; i < count; i++) {
        const ElfSection& section = sections[i];
        const ElfSymbol* symbols = (const ElfSymbol*)(image + section.offset);
        for (size_t k = 0; section.type == SYMBOLS && k < section.size / sizeof(ElfSymbol); k++) {
            std::string name = text(sections[section.link], symbols[k].name);
            if ((symbols[k].info & 15) == FUNCTION && symbols[k].other & ENTRY) {
                module->functions[name].name = name;
                module->functions[name].context = current;
            } else if ((symbols[k].info & 15) == OBJECT && name.rfind(".nv", 0) && symbols[k].size) {
                char* memory = (char*)calloc(symbols[k].size, 1);
                blocks[(Pointer)memory] = Block{symbols[k].size, nullptr};
                module->globals[name] = {(Pointer)memory, symbols[k].size};
            }
        }
    }
    for (int i = 0; i < count; i++) {
        std::string name = text(sections[names], sections[i].name);
        if (name.rfind(".nv.info.", 0) == 0 && module->functions.count(name.substr(9)))
            read_parameters(image + sections[i].offset, sections[i].size,
                            module->functions[name.substr(9)].parameters);
    }
    return module;
}

// "kernel other(8,4,12)": kernels without parameters, or with parameters of these sizes, each aligned to the
// largest power of two up to 8 that divides its size.
Module* read_names(const std::string& text) {
    Module* module = new Module;
    for (size_t start = 0; start < text.size();) {
        size_t end = text.find(' ', start);
        if (end == std::string::npos) end = text.size();
        std::string word = text.substr(start, end - start);
        size_t open = word.find('(');
        Function& function = module->functions[word.substr(0, open)];
        function.name = word.substr(0, open);
        function.context = current;
        size_t offset = 0;
        for (size_t at = open; at != std::string::npos && word[at] != ')';
             at = word.find_first_of(",)", at + 1)) {
            size_t size = strtoul(word.c_str() + at + 1, nullptr, 10), aligned = 8;
            if (!size) break;
            while (size % aligned) aligned /= 2;
            offset = (offset + aligned - 1) / aligned * aligned;
            function.parameters.push_back({offset, size});
            offset += size;
        }
        start = end + 1;
    }
    return module;
}

}  // namespace
